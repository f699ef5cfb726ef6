/** Flags that programs pass when they drive pawl, including those accepted without an effect. */
import { withoutUndefined } from "../lib/without-undefined.ts";
import { errorText } from "../lib/error-text.ts";
import { Option, type Command } from "commander";
import { isRecord } from "../lib/is-record.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { AgentDefinition } from "../protocol/agent.ts";
import { readAgents, type ClientAgents } from "../surface/stdio/agents.ts";
import { notEmpty, oneOf } from "./values.ts";

const settingSources = ["user", "project", "local"] as const;
export const thinkingDisplays = ["summarized", "omitted"] as const;
export const questionAnswerers = ["host", "none"] as const;

export interface ClientArguments {
  /** Permission questions go to the program at the other end of the pipes. */
  asksClient: boolean;
  replaysUserMessages: boolean;
  /** Each transcript entry is also written to stdout. */
  mirrorsSession: boolean;
  /** The client may switch to `bypassPermissions` although the session does not start in that mode. */
  mayBypass: boolean;
  /** Settings that bind the session as an administrator's would. */
  managedSettings?: Record<string, unknown>;
  /** Undefined: all. */
  settingSources?: (typeof settingSources)[number][];
  /** The JSON Schema that the answer must match. */
  jsonSchema?: Record<string, unknown>;
  /** The agent type of the main thread. */
  agent?: string;
  /** Agent types in addition to those defined in files, by name. */
  agents?: Record<string, AgentDefinition>;
  /** A tool that answers permission questions. */
  permissionPromptTool?: string;
  /** For the `anthropic-beta` header. */
  betas: string[];
  /** Lines for the debug file: which flags were accepted and have no effect here. */
  remarks: string[];
  thinkingDisplay?: (typeof thinkingDisplays)[number];
  forwardSubagentText: boolean;
  appendSubagentSystemPrompt?: string;
  excludeDynamicSections: boolean;
}

/** The options as commander parsed them. */
export interface RawClientOptions {
  permissionPromptTool?: string;
  permissionPrompts?: string;
  replayUserMessages?: true;
  sessionMirror?: true;
  allowDangerouslySkipPermissions?: true;
  settingSources?: string;
  jsonSchema?: string;
  agent?: string;
  agents?: string;
  betas?: string[];
  thinkingDisplay?: string;
  forwardSubagentText?: true;
  managedSettings?: string;
  appendSubagentSystemPrompt?: string;
  excludeDynamicSystemPromptSections?: true;
}

const heading = "Driven by a program:";

const visibleFlags: readonly (readonly [flags: string, description: string])[] = [
  [
    "--permission-prompt-tool <tool>",
    "who answers permission questions instead of a person: stdio (the program, with stream-json input), or a tool of an MCP server",
  ],
  ["--permission-prompts <who>", "host, or none: a call that needs a question is refused"],
  ["--replay-user-messages", "stream-json input: write each message out again, with its uuid, as its turn begins"],
  ["--session-mirror", "stream-json input: write each transcript line out too, as transcript_mirror"],
  ["--allow-dangerously-skip-permissions", "stream-json input: allow a later switch to bypassPermissions"],
  ["--forward-subagent-text", "stream-json: show the text of agents, not only their tool calls"],
  ["--managed-settings <json>", "restrictions like an administrator's, if the machine has none"],
  ["--setting-sources <list>", "whose settings and memory files are read: user,project,local"],
];

/** Flags shown below the others in the help, because their length would move the others' description column to the right. */
const longFlags: typeof visibleFlags = [
  ["--append-subagent-system-prompt <text>", "add to the system prompts of agents"],
  ["--exclude-dynamic-system-prompt-sections", "give the folder and git state in the first message"],
];

/** Flags of the convention that change nothing in pawl or turn off what it lacks. They are named at the end of the help. */
const flagsWithoutEffect = [
  "-d, --debug",
  "--debug-to-stderr",
  "--mcp-debug",
  "--await-initialize",
  "--ide",
  "--no-chrome",
];

export const clientFlagsHelp = `
Too long for the columns above:
  --append-subagent-system-prompt <text>
      add to the system prompts of the agents that the session starts
  --exclude-dynamic-system-prompt-sections
      give the folder and git state in the first message: the system prompt is
      then the same in every folder, and so can share one prompt cache entry

Accepted without an effect, for programs that pass them: --debug,
--debug-to-stderr, --mcp-debug, --await-initialize, --ide, --no-chrome.
`;

/** Drops the filter of `--debug=api`: it makes no difference, since `--debug` itself has no effect. */
export function withoutDebugFilter(argv: readonly string[]): string[] {
  const end = argv.indexOf("--");
  return argv.map((word, at) => (word.startsWith("--debug=") && (end === -1 || at < end) ? "--debug" : word));
}

export function addClientFlags(command: Command): void {
  for (const [flags, description] of visibleFlags) command.addOption(new Option(flags, description).helpGroup(heading));
  command.addOption(
    new Option("--json-schema <schema>", "the answer must match this JSON Schema").helpGroup("Without a conversation:"),
  );
  const agents = new Option("--agents <json>", 'agent types: {"name": {"description": …, "prompt": …}}');
  command.addOption(agents.helpGroup("Instructions:"));
  const agent = new Option("--agent <name>", "the agent type that you talk to");
  command.addOption(agent.helpGroup("Instructions:"));
  command.addOption(new Option("--betas <names...>", "values for the anthropic-beta header").helpGroup("Model:"));
  const display = new Option("--thinking-display <how>", "how thinking is shown: summarized, or omitted (faster)");
  command.addOption(display.helpGroup("Model:"));
  for (const [flags, description] of longFlags) command.addOption(new Option(flags, description).hideHelp());
  for (const flags of flagsWithoutEffect) command.addOption(new Option(flags).hideHelp());
}

export function clientArguments(raw: RawClientOptions): ClientArguments {
  const { permissionPromptTool: tool, permissionPrompts, thinkingDisplay, managedSettings } = raw;
  if (tool !== undefined && !/^[\w-]{1,128}$/u.test(tool))
    throw new UsageError(
      `--permission-prompt-tool takes stdio or a tool's name (mcp__server__tool), not "${tool.slice(0, 80)}".`,
    );
  const who =
    permissionPrompts === undefined ? "host" : oneOf("--permission-prompts", permissionPrompts, questionAnswerers);
  const { agents, remarks: agentRemarks } = parseAgents(raw.agents);
  return {
    asksClient: tool === "stdio" && who === "host",
    ...(tool === undefined || tool === "stdio" || who === "none" ? {} : { permissionPromptTool: tool }),
    replaysUserMessages: raw.replayUserMessages ?? false,
    mirrorsSession: raw.sessionMirror ?? false,
    mayBypass: raw.allowDangerouslySkipPermissions ?? false,
    ...(raw.settingSources === undefined ? {} : { settingSources: parseSettingSources(raw.settingSources) }),
    ...(managedSettings === undefined
      ? {}
      : { managedSettings: parseSettingsObject("--managed-settings", managedSettings) }),
    ...(raw.jsonSchema === undefined ? {} : { jsonSchema: parseJsonSchema(raw.jsonSchema) }),
    ...(raw.agent === undefined ? {} : { agent: notEmpty("--agent", raw.agent) }),
    ...(raw.agents === undefined ? {} : { agents }),
    betas: (raw.betas ?? []).flatMap((names) => names.split(/[\s,]+/u)).map((name) => notEmpty("--betas", name)),
    ...(thinkingDisplay === undefined
      ? {}
      : { thinkingDisplay: oneOf("--thinking-display", thinkingDisplay, thinkingDisplays) }),
    forwardSubagentText: raw.forwardSubagentText ?? false,
    ...withoutUndefined({ appendSubagentSystemPrompt: raw.appendSubagentSystemPrompt }),
    excludeDynamicSections: raw.excludeDynamicSystemPromptSections ?? false,
    remarks: [...remarksOnFlagsWithoutEffect(raw), ...agentRemarks],
  };
}

function remarksOnFlagsWithoutEffect(raw: object): string[] {
  const values = raw as Record<string, unknown>;
  // A flag that begins with --no- is true until it is given.
  return flagsWithoutEffect
    .map((flags) => new Option(flags))
    .filter((option) => values[option.attributeName()] === !option.negate)
    .map(({ long }) => `${long} was accepted and has no effect`);
}

/** Parses JSON without a byte order mark, which `"$(cat schema.json)"` passes on from a file. */
function parseJson(text: string): unknown {
  return JSON.parse(text.replace(/^\ufeff/u, ""));
}

function parseAgents(text: string | undefined): ClientAgents {
  try {
    return readAgents(text === undefined ? undefined : parseJson(text), "--agents");
  } catch (error) {
    const why = errorText(error);
    throw new UsageError(error instanceof SyntaxError ? `--agents is not valid JSON: ${why}.` : `${why}.`);
  }
}

function parseJsonSchema(text: string): Record<string, unknown> {
  const invalid = (why: string): UsageError => new UsageError(`--json-schema is not a valid JSON Schema: ${why}.`);
  let schema: unknown;
  try {
    schema = parseJson(text);
  } catch (error) {
    const hint = text.includes("{") ? "" : '; for a schema in a file, write --json-schema "$(cat schema.json)"';
    throw invalid(`it is not JSON (${errorText(error)})${hint}`);
  }
  if (!isRecord(schema)) throw invalid("it is not an object");
  return schema;
}

function parseSettingsObject(flag: string, text: string): Record<string, unknown> {
  try {
    const value = parseJson(text);
    if (isRecord(value)) return value;
  } catch (error) {
    throw new UsageError(`${flag} is not valid JSON: ${errorText(error)}.`);
  }
  throw new UsageError(`${flag} needs a JSON object of settings.`);
}

function parseSettingSources(list: string): (typeof settingSources)[number][] {
  const names = list.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "").map((name) => oneOf("--setting-sources", name, settingSources));
}
