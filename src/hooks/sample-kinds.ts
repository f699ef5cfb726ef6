/** Fields of a sample that depend on the kind that matchers look at: another kind of notification has another text. */
import { basename, isAbsolute, join } from "node:path";
import { withoutPrototype } from "../lib/without-prototype.ts";
import type { HookEvent, HookInput } from "../protocol/hook.ts";
import { matcherField, matchesHook } from "./matcher.ts";
import { toolsWithSamples } from "./sample-calls.ts";

type Fields = Omit<HookInput, "hook_event_name">;

const nameListPattern = /^[\w\- ,|]+$/u;
const fileNameListPattern = /^[\w\-.|]+$/u;

/**
 * Returns the subject for a matcher as written in settings: the first name of a list, or a tool that an expression matches. Undefined if it
 * matches every kind.
 */
export function sampleSubject(event: HookEvent, value: string): string | undefined {
  if (value === "" || value === "*") return undefined;
  const field = matcherField(event);
  const list = field === "file_path" ? fileNameListPattern : nameListPattern;
  if (list.test(value)) return value.split(/[|,]/u)[0]!.trim() || value;
  if (field !== "tool_name") return value;
  const [server] = /mcp__[\w-]*[^\W_]/u.exec(value) ?? [];
  const tools = server === undefined ? toolsWithSamples : [...toolsWithSamples, value, `${server}__search`];
  return tools.find((tool_name) => matchesHook(value, { hook_event_name: event, tool_name })) ?? value;
}

const server = "The MCP server tracker";

const notifications = withoutPrototype({
  permission_prompt: "pawl needs your permission for Bash",
  idle_prompt: "pawl is waiting for your input",
  agent_completed: `The agent that works on "Find the tests" has ended`,
  elicitation_dialog: `${server} asks you something`,
  elicitation_url_dialog: `${server} asks you something`,
  elicitation_complete: `${server} has what it asked of you`,
  elicitation_response: `${server} has your answer: accept`,
});

const instructions = withoutPrototype<Fields>({
  include: { file_path: "/tmp/conventions.md", parent_file_path: "/tmp/CLAUDE.md" },
  nested_traversal: { file_path: "/tmp/src/CLAUDE.md", trigger_file_path: "/tmp/src/main.ts" },
  path_glob_match: {
    file_path: "/tmp/.claude/rules/tests.md",
    globs: ["test/**"],
    trigger_file_path: "/tmp/test/main.test.ts",
  },
});

/** Returns the fields of a sample for this kind. */
export function fieldsForKind(event: HookEvent, kind: string): Fields {
  switch (event) {
    case "Notification":
      return { message: notifications[kind] ?? `A notification of the kind ${kind}` };
    case "InstructionsLoaded":
      return instructions[kind] ?? {};
    case "UserPromptExpansion":
      return { prompt: `/${kind} src` };
    case "StopFailure":
      return { last_assistant_message: `The API refused the request: ${kind}.` };
    case "FileChanged":
      return { file_path: isAbsolute(kind) ? kind : join("/tmp", basename(kind)) };
    default:
      return {};
  }
}
