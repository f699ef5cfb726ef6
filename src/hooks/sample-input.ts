/** A sample input for each event: used by `pawl hooks test` if no input is given. */
import type { HookEvent, HookInput } from "../protocol/hook.ts";
import type { PermissionUpdate } from "../protocol/permission.ts";
import { matcherField } from "./matcher.ts";
import { sampleCall } from "./sample-calls.ts";
import { fieldsForKind, sampleSubject } from "./sample-kinds.ts";

type Fields = Omit<HookInput, "hook_event_name">;
type CallEvent = "PreToolUse" | "PermissionRequest" | "PermissionDenied" | "PostToolUse" | "PostToolUseFailure";

const callId = "toolu_sample";

const requestedSchema = { type: "object", properties: { project: { type: "string" } } };

const modelSwitch = {
  from_model: "claude-sonnet-5",
  to_model: "claude-opus-5",
  requested_model: "opus",
  source: "command",
};

const samples: Readonly<Record<Exclude<HookEvent, CallEvent>, Fields>> = {
  PostToolBatch: {
    tool_calls: [
      { tool_name: "Bash", tool_input: sampleCall("Bash").input, tool_use_id: callId, tool_response: "hello" },
    ],
  },
  UserPromptSubmit: { prompt: "What does this project do?" },
  UserPromptExpansion: {
    expansion_type: "slash_command",
    command_name: "review",
    command_args: "src",
    command_source: "project",
    prompt: "/review src",
  },
  PreSkillShellCommand: {
    tool_name: "Bash",
    tool_input: { command: "git status" },
    tool_use_id: "skill.sample",
    command_name: "review",
    command_source: "project",
    invoked_by: "user",
  },
  SessionStart: { source: "startup", model: "claude-sonnet-5" },
  SessionEnd: { reason: "other" },
  Stop: { stop_hook_active: false, last_assistant_message: "Done." },
  SubagentStart: { agent_id: "agent-sample", agent_type: "reviewer" },
  SubagentStop: {
    stop_hook_active: false,
    last_assistant_message: "Done.",
    agent_id: "agent-sample",
    agent_type: "reviewer",
    agent_transcript_path: "/tmp/agent-sample.jsonl",
  },
  TaskCreated: { task_id: "1", task_subject: "Write the tests", task_description: "One for each law." },
  TaskCompleted: { task_id: "1", task_subject: "Write the tests", teammate_name: "ada" },
  TeammateIdle: { teammate_name: "ada" },
  StopFailure: { error: "rate_limit", last_assistant_message: "The API refused the request: too many of them." },
  PreCompact: { trigger: "manual", custom_instructions: "" },
  PostCompact: { trigger: "manual", compact_summary: "The user asked what the project does." },
  Notification: { message: "pawl needs your permission for Bash", notification_type: "permission_prompt" },
  Setup: { trigger: "init" },
  PreModelSwitch: { ...modelSwitch, context_tokens: 12_000 },
  PostModelSwitch: modelSwitch,
  FileChanged: { file_path: "/tmp/package.json", event: "change" },
  Elicitation: {
    mcp_server_name: "tracker",
    message: "Which project?",
    mode: "form",
    requested_schema: requestedSchema,
  },
  ElicitationResult: { mcp_server_name: "tracker", mode: "form", action: "accept", content: { project: "pawl" } },
  WorktreeCreate: { name: "agent-sample" },
  WorktreeRemove: { worktree_path: "/tmp/agent-sample" },
  MessageDisplay: { turn_id: "turn-sample", message_id: "message-sample", index: 0, final: true, delta: "Done.\n" },
  CwdChanged: { old_cwd: "/tmp/before", new_cwd: "/tmp/after" },
  DirectoryAdded: { directory: "/tmp/library", source: "slash_command" },
  ConfigChange: { source: "user_settings", file_path: "/tmp/settings.json" },
  InstructionsLoaded: { file_path: "/tmp/CLAUDE.md", memory_type: "Project", load_reason: "session_start" },
};

/** Makes a sample input. `matcher`: selects the kind of event in place of the sample's own. `overrides`: fields that override both. */
export function sampleInput(
  event: HookEvent,
  { matcher, overrides = {} }: { matcher?: string; overrides?: Readonly<Record<string, unknown>> } = {},
): HookInput {
  const field = matcherField(event);
  const subject = matcher === undefined ? undefined : sampleSubject(event, matcher);
  const { tool_name: tool = subject } = overrides;
  const kind = field === undefined ? undefined : (overrides[field] ?? subject);
  return {
    ...sampleFields(event, typeof tool === "string" ? tool : "Bash"),
    ...(typeof kind === "string" ? { [field!]: kind, ...fieldsForKind(event, kind) } : {}),
    ...overrides,
    hook_event_name: event,
  };
}

function sampleFields(event: HookEvent, tool: string): Fields {
  const { input, response } = sampleCall(tool);
  const question = { tool_name: tool, tool_input: input };
  const call = { ...question, tool_use_id: callId };
  switch (event) {
    case "PreToolUse":
      return call;
    case "PermissionRequest":
      return { ...question, permission_suggestions: [suggestionFor(tool, input)] };
    case "PermissionDenied":
      return { ...call, reason: "It sends the project's files to a host that the user has not named." };
    case "PostToolUse":
      return { ...call, tool_response: response, duration_ms: 12 };
    case "PostToolUseFailure":
      return { ...call, error: tool === "Bash" ? "Exit code 1\nhello" : "It did not work.", duration_ms: 12 };
    default:
      return samples[event];
  }
}

function suggestionFor(tool: string, { command }: Readonly<Record<string, unknown>>): PermissionUpdate {
  const rule = { toolName: tool, ...(typeof command === "string" ? { ruleContent: command } : {}) };
  return { type: "addRules", rules: [rule], behavior: "allow", destination: "session" };
}
