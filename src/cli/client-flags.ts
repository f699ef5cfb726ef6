/** Flags of programs that drive pawl: what each asks for, and what becomes of those that mean nothing here. */
import { present } from "../lib/present.ts";
import { errorText } from "../lib/error-text.ts";
import { Option, type Command } from "commander";
import { isRecord } from "../lib/is-record.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { AgentDefinition } from "../protocol/agent.ts";
import { readAgents, type ClientAgents } from "../surface/stdio/agents.ts";
import { notEmpty, oneOf } from "./values.ts";

export const settingSources = ["user", "project", "local"] as const;

export interface ClientArguments {
  /** Questions about permissions are put to the program at the other end of the pipes. */
  asksClient: boolean;
  replaysUserMessages: boolean;
  /** What transcripts get is written out as well. */
  mirrorsSession: boolean;
  /** `bypassPermissions` can be switched to although the session does not start in it. */
  mayBypass: boolean;
  /** Laid down for the session as by an administrator. */
  managedSettings?: Record<string, unknown>;
  /** Undefined: all. */
  settingSources?: (typeof settingSources)[number][];
  /** An answer has to fit it. */
  jsonSchema?: Record<string, unknown>;
  /** The kind of agent that the main thread is. */
  agent?: string;
  /** Kinds of agent besides those of files, by name. */
  agents?: Record<string, AgentDefinition>;
  /** A tool that answers permission questions. */
  permissionPromptTool?: string;
  /** For the `anthropic-beta` header. */
  betas: string[];
  /** For the debug file: what was accepted and has no effect here. */
  remarks: string[];
  thinkingDisplay?: "summarized" | "omitted";
  forwardSubagentText: boolean;
  appendSubagentSystemPrompt?: string;
  excludeDynamicSections: boolean;
}

/** What commander made of them. */
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
  debug?: true;
  debugToStderr?: true;
  mcpDebug?: true;
  awaitInitialize?: true;
  ide?: true;
  /** True unless `--no-chrome` was given. */
  chrome?: boolean;
  thinkingDisplay?: string;
  forwardSubagentText?: true;
  managedSettings?: string;
  appendSubagentSystemPrompt?: string;
  excludeDynamicSystemPromptSections?: true;
}

const heading = "Driven by a program:";

const shown: readonly (readonly [flags: string, description: string])[] = [
  [
    "--permission-prompt-tool <tool>",
    "who is asked what would be asked of a person: stdio (the program, with stream-json input), or a tool of an MCP server",
  ],
  ["--permission-prompts <who>", "host, or none: what would be asked is refused"],
  ["--replay-user-messages", "stream-json input: each message is written out again as its turn begins, with its uuid"],
  ["--session-mirror", "stream-json input: each line of the transcript is written out too, as transcript_mirror"],
  ["--allow-dangerously-skip-permissions", "stream-json input: bypassPermissions can be switched to later"],
  ["--forward-subagent-text", "stream-json: what agents say is shown, and not only their calls"],
  ["--managed-settings <json>", "what is forbidden, as by an administrator, where there is none"],
  ["--setting-sources <list>", "whose settings and memory files count: user,project,local"],
];

/** Described below the others, whose column they would move to the right. */
const long: typeof shown = [
  ["--append-subagent-system-prompt <text>", "add to the system prompts of agents"],
  ["--exclude-dynamic-system-prompt-sections", "tell folder and git's state with the first message"],
];

/** Of the convention; they change nothing that pawl has, or leave out what it has not. Named at the end of the help. */
const silent = ["-d, --debug", "--debug-to-stderr", "--mcp-debug", "--await-initialize", "--ide", "--no-chrome"];

export const clientFlagsHelp = `
Too long for the columns above:
  --append-subagent-system-prompt <text>
      add to the system prompts of the agents that the session begins
  --exclude-dynamic-system-prompt-sections
      tell folder and git's state with the first message: the system prompt is
      then the same in each folder, and so is what is kept of it in the cache

Accepted for programs that pass them, without an effect: --debug,
--debug-to-stderr, --mcp-debug, --await-initialize, --ide, --no-chrome.
`;

/** What of a debug file is wanted (`--debug=api`) makes no difference: `--debug` makes none. */
export function withoutDebugFilter(argv: readonly string[]): string[] {
  const end = argv.indexOf("--");
  return argv.map((word, at) => (word.startsWith("--debug=") && (end === -1 || at < end) ? "--debug" : word));
}

export function addClientFlags(command: Command): void {
  for (const [flags, description] of shown) command.addOption(new Option(flags, description).helpGroup(heading));
  command.addOption(
    new Option("--json-schema <schema>", "the answer has to fit this JSON Schema").helpGroup("Without a conversation:"),
  );
  const agents = new Option("--agents <json>", 'kinds of agent: {"name": {"description": …, "prompt": …}}');
  command.addOption(agents.helpGroup("Instructions:"));
  const agent = new Option("--agent <name>", "the kind of agent that you talk with");
  command.addOption(agent.helpGroup("Instructions:"));
  command.addOption(new Option("--betas <names...>", "values for the anthropic-beta header").helpGroup("Model:"));
  const display = new Option(
    "--thinking-display <how>",
    "how thinking is shown: summarized, or omitted, which is quicker",
  );
  command.addOption(display.helpGroup("Model:"));
  for (const [flags, description] of long) command.addOption(new Option(flags, description).hideHelp());
  for (const flags of silent) command.addOption(new Option(flags).hideHelp());
}

export function clientArguments(raw: RawClientOptions): ClientArguments {
  const { permissionPromptTool: tool, permissionPrompts, thinkingDisplay, managedSettings } = raw;
  if (tool !== undefined && !/^[\w-]{1,128}$/u.test(tool))
    throw new UsageError(
      `--permission-prompt-tool takes stdio or a tool's name (mcp__server__tool), not "${tool.slice(0, 80)}".`,
    );
  const who =
    permissionPrompts === undefined ? "host" : oneOf("--permission-prompts", permissionPrompts, ["host", "none"]);
  const needless: readonly (readonly [flag: string, isGiven: boolean])[] = [
    ["--debug", raw.debug === true],
    ["--debug-to-stderr", raw.debugToStderr === true],
    ["--mcp-debug", raw.mcpDebug === true],
    ["--await-initialize", raw.awaitInitialize === true],
    ["--ide", raw.ide === true],
    ["--no-chrome", raw.chrome === false],
  ];
  const { agents, remarks: aboutAgents } = agentsIn(raw.agents);
  const idle = needless.filter(([, isGiven]) => isGiven).map(([flag]) => `${flag} was accepted and has no effect`);
  return {
    asksClient: tool === "stdio" && who === "host",
    ...(tool === undefined || tool === "stdio" || who === "none" ? {} : { permissionPromptTool: tool }),
    replaysUserMessages: raw.replayUserMessages ?? false,
    mirrorsSession: raw.sessionMirror ?? false,
    mayBypass: raw.allowDangerouslySkipPermissions ?? false,
    ...(raw.settingSources === undefined ? {} : { settingSources: sources(raw.settingSources) }),
    ...(managedSettings === undefined ? {} : { managedSettings: objectIn("--managed-settings", managedSettings) }),
    ...(raw.jsonSchema === undefined ? {} : { jsonSchema: schemaIn(raw.jsonSchema) }),
    ...(raw.agent === undefined ? {} : { agent: notEmpty("--agent", raw.agent) }),
    ...(raw.agents === undefined ? {} : { agents }),
    betas: (raw.betas ?? []).flatMap((names) => names.split(/[\s,]+/u)).map((name) => notEmpty("--betas", name)),
    ...(thinkingDisplay === undefined
      ? {}
      : { thinkingDisplay: oneOf("--thinking-display", thinkingDisplay, ["summarized", "omitted"] as const) }),
    forwardSubagentText: raw.forwardSubagentText ?? false,
    ...present({ appendSubagentSystemPrompt: raw.appendSubagentSystemPrompt }),
    excludeDynamicSections: raw.excludeDynamicSystemPromptSections ?? false,
    remarks: [...idle, ...aboutAgents],
  };
}

/** What a file begins with may be in the text as well: "$(cat schema.json)". */
function parsed(text: string): unknown {
  return JSON.parse(text.replace(/^\ufeff/u, ""));
}

function agentsIn(text: string | undefined): ClientAgents {
  try {
    return readAgents(text === undefined ? undefined : parsed(text), "--agents");
  } catch (error) {
    const why = errorText(error);
    throw new UsageError(error instanceof SyntaxError ? `--agents is no JSON: ${why}.` : `${why}.`);
  }
}

function schemaIn(text: string): Record<string, unknown> {
  const invalid = (why: string): UsageError => new UsageError(`--json-schema is not a valid JSON Schema: ${why}.`);
  let schema: unknown;
  try {
    schema = parsed(text);
  } catch (error) {
    throw invalid(`it is no JSON (${errorText(error)})`);
  }
  if (!isRecord(schema)) throw invalid("it is no object");
  return schema;
}

function objectIn(flag: string, text: string): Record<string, unknown> {
  try {
    const value = parsed(text);
    if (isRecord(value)) return value;
  } catch (error) {
    throw new UsageError(`${flag} is no JSON: ${errorText(error)}.`);
  }
  throw new UsageError(`${flag} takes an object of settings, as JSON.`);
}

function sources(list: string): (typeof settingSources)[number][] {
  const names = list.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "").map((name) => oneOf("--setting-sources", name, settingSources));
}
