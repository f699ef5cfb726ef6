/** The options of a session. Surfaces and the SDK fill the same record. */
import type { AgentDefinition } from "../../protocol/agent.ts";
import type { HookEvent } from "../../protocol/hook.ts";
import type { Effort, ThinkingDisplay, ThinkingSetting } from "../../protocol/model.ts";
import type { McpElicitationDone, McpServerConfig, OnElicitation } from "../../protocol/mcp.ts";
import type { MentionNews } from "../../protocol/mention.ts";
import type { SnipReplay } from "../../protocol/message.ts";
import type { AskPermission, PermissionAnswer, PermissionMode } from "../../protocol/permission.ts";
import type { Tool } from "../../protocol/tool.ts";
import type { SubagentIdentity, TeammatePort } from "../../protocol/turn-end.ts";
import type { AgentLimits } from "./agent-limits.ts";
import type { TranscriptMirror } from "./transcript-mirror.ts";
import type { SessionStore } from "./host-store.ts";
import type { ClockPort, IdPort, LoopLimits } from "../../loop/ports.ts";
import type { HookCallbackInput } from "./hook-inputs.ts";

/** What a hook callback returns, in the public convention's JSON; see the hook documentation for the fields. */
export type HookCallbackOutput = Record<string, unknown> | undefined | void;

export interface HookCallbackMatcher {
  /** Tool name, list or expression; absent: matches everything. */
  matcher?: string | undefined;
  /** ms; default 60,000, for `MessageDisplay` 10,000. */
  timeoutMs?: number | undefined;
  /** `block`: if the hook fails, the event it was asked about is refused. Default `continue`: the failure is ignored, with a notice. */
  onFailure?: "continue" | "block" | undefined;
  callback: (
    input: HookCallbackInput,
    context: { signal: AbortSignal; toolUseId?: string },
  ) => Promise<HookCallbackOutput>;
  /** Fields of the other matcher shape. */
  hooks?: never;
  timeout?: never;
}

export interface HttpExchange {
  method: string;
  /** Absolute. */
  url: string;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
  signal?: AbortSignal;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
}

export interface EngineOptions {
  /** The session's working directory. Absolute; default: the process's. */
  cwd?: string;
  /** Replaces the process's environment. */
  env?: Record<string, string | undefined>;
  /** The user's home folder. Absolute; default: `HOME` of `env`, else the one that the system knows. */
  home?: string;
  /** A model id or alias. */
  model?: string;
  /** Tried in this order when the model is overloaded or missing; comma-separated or a list. */
  fallbackModel?: string | string[];
  /** The most loop turns in one user turn. */
  maxTurns?: number;
  /** The most USD that this process may spend on the session. */
  maxBudgetUsd?: number;
  /** Output tokens to spend on each prompt: the loop nudges a model that stops well short of it, and stops when nudges achieve little. */
  tokenBudget?: number;
  /** Tokens, at least 20,000, that the server counts down in view of the model, if the model supports it. Limits nothing. */
  taskBudget?: { total: number };
  /** Default: the setting `permissions.defaultMode`, else `default`. */
  permissionMode?: PermissionMode;
  /** Replaces pawl's own text on how a plan is made; what plan mode is and how it ends is explained to the model in any case. */
  planModeInstructions?: string;
  /** Rules for calls that need no permission, such as `Edit` or `Bash(npm test *)`. */
  allowedTools?: string[];
  /** Rules for calls that are refused. The name of a tool alone also takes the tool away. */
  disallowedTools?: string[];
  /** Aliases by which the model may call a tool, each with the tool's real name. Calling an alias whose tool is missing is an error. */
  toolAliases?: Record<string, string>;
  /** Names of the skills offered to the model; a person may still type the others. Default: `all`. */
  skills?: string[] | "all";
  /** Includes the text that agents write, not only their calls. Default false. */
  forwardSubagentText?: boolean;
  /** Values for the `anthropic-beta` header, in addition to those of `ANTHROPIC_BETAS`. */
  betas?: string[];
  /** The built-in tools to offer. Absent: the default set. Empty: none. */
  tools?: string[];
  /** The format of the previews that `AskUserQuestion` may show with an option. Absent: no previews. */
  toolConfig?: { askUserQuestion?: { previewFormat?: "markdown" | "html" } };
  /** Tools of the caller, in addition to the built-in ones. */
  customTools?: Tool[];
  /** MCP servers by name, in addition to the configured ones; `createSdkMcpServer` makes one from functions. */
  mcpServers?: Record<string, McpServerConfig>;
  /** Further MCP servers: paths of files such as `.mcp.json`, or their text. */
  mcpConfig?: string[];
  /** Only the servers of `mcpServers` and `mcpConfig`. Default false. */
  strictMcpConfig?: boolean;
  /** Answers the questions that MCP servers ask the user. Absent: every question is declined. */
  onElicitation?: OnElicitation;
  /** Called once when a server reports that what it asked the user to do at a URL is done. */
  onElicitationComplete?: (done: McpElicitationDone) => void;
  /** Replaces the default system prompt. */
  systemPrompt?: string;
  /** Added to the system prompt, whichever it is. */
  appendSystemPrompt?: string;
  /** Added to the system prompts of agents below the session. */
  appendSubagentSystemPrompt?: string;
  /**
   * Moves the working directory and the git state from the system prompt to the first message. The default system prompt, and the
   * provider's cache of it, are then the same in each folder and on each machine. No effect with `systemPrompt` or `agent`.
   */
  excludeDynamicSections?: boolean;
  /** Folders to work in besides `cwd`: absolute, or relative to it. */
  addDirs?: string[];
  /** Folders of plugins, with everything they contain: skills, commands, agents, hooks, servers, styles. Absolute. */
  pluginDirs?: string[];
  /** The same, but without the servers they contain. */
  pluginDirsWithoutServers?: string[];
  /** Resumes the session with this id or title. */
  resume?: string;
  /** Resumes the newest session of this folder. */
  continue?: boolean;
  /** With `resume` or `continue`: the uuid of the message after which the session continues. Later messages stay in the transcript. */
  resumeSessionAt?: string;
  /** With `resumeSessionAt`: uuid of the prompt whose turn is dropped. If anything else would be dropped, the session is refused. */
  resumeDropsTurn?: string;
  /** With `resume` or `continue`: goes on in a copy, under a new id. Default false. */
  forkSession?: boolean;
  /** The name of the session in lists, by which it can also be resumed. A resumed session is renamed. */
  title?: string;
  /** The UUID of a new session. */
  sessionId?: string;
  /** Receives what is written to transcripts. A session that is in the store is resumed from it. */
  sessionStore?: SessionStore;
  /** `eager`: each entry is sent by itself. Default `batched`: entries of 100 ms are sent together. */
  sessionStoreFlush?: "batched" | "eager";
  /** The time limit for each answer of the session store to a resume, in ms. Default 60,000. */
  loadTimeoutMs?: number;
  /** A replacement for `sessionStore` for a host that mirrors transcripts its own way. */
  transcriptMirror?: TranscriptMirror;
  /** The folder in which sessions are kept, instead of `$PAWL_HOME`. Absolute. */
  sessionsHome?: string;
  /** False: nothing is written. Default true. */
  persistSession?: boolean;
  /**
   * Which changes can be rewound. `true`: every change to the working folders, including those by commands and third-party tools; this
   * takes a scan of all files there per prompt. `false`: none. Default: changes by Write, Edit and NotebookEdit.
   */
  enableFileCheckpointing?: boolean;
  /** The path of a settings file, or its JSON text. */
  settings?: string;
  /** The scopes whose settings and memory files apply; an administrator's always do. Default: all. */
  settingSources?: ("user" | "project" | "local")[];
  /**
   * Settings that apply like an administrator's, if this machine has none. What restricts applies (deny and ask rules, lists of servers
   * and models, hooks, parts of `sandbox`); what would permit is left out, with a notice.
   */
  managedSettings?: object;
  /** What commands may reach; overrides `settings`. With `enabled`, the session requires a sandbox unless `failIfUnavailable` is false. */
  sandbox?: Record<string, unknown>;
  /**
   * Takes nothing that is found around the session: no hooks but an administrator's, no skills, commands, agents, plugins, instructions
   * and notes; only the MCP servers of `mcpServers` and `mcpConfig`; without `tools`, only Bash, Read and Edit. What settings permit and
   * forbid still applies. Default: true if `CLAUDE_CODE_SIMPLE` is set.
   */
  bare?: boolean;
  /** Trusts the folder's own settings in this session, whatever they contain. Default: only if the user has trusted them. */
  trust?: boolean;
  /** Emits the deltas of the model as `stream_event`s. Default false. */
  includePartialMessages?: boolean;
  /**
   * With `includePartialMessages`: `MessageDisplay` hooks are asked about each batch of completed lines, and their answers appear in the
   * `stream_event`s. For a surface that shows the answer as it streams. Default: they are asked about each whole message.
   */
  displayByLines?: boolean;
  /** Requires an answer that fits this JSON Schema. The result carries it as `structured_output`, or is not a success. */
  outputFormat?: { type: "json_schema"; schema: Record<string, unknown> };
  /** Emits `hook_started`, `hook_progress` and `hook_response` for all hooks, not only for `SessionStart`. Default false. */
  includeHookEvents?: boolean;
  /** Runs `Setup` hooks with this trigger at the first prompt, before those of `SessionStart`. */
  setup?: "init" | "maintenance";
  /** Emits a `tool_use_summary` message, one line by the small model, after three or more parallel calls. Default false. */
  toolUseSummaries?: boolean;
  /** Emits a `prompt_suggestion` message with a likely next prompt after a `result`, if it arrives within 15 s. Default false. */
  promptSuggestions?: boolean;
  /** How thorough the model is. A level the model lacks becomes the next lower one, with a notice. */
  effort?: Effort;
  /**
   * `budgetTokens`: at least 1024, default 31,999, for models that think within a budget. What the model lacks is mapped, with a notice.
   */
  thinking?:
    | Exclude<ThinkingSetting, { type: "enabled" }>
    | { type: "enabled"; budgetTokens?: number; display?: ThinkingDisplay };
  /** The same as `thinking` with a budget; 0 turns it off. */
  maxThinkingTokens?: number;
  /** `fast`: faster answers at a higher price, on models that have it. Default `standard`. */
  speed?: "standard" | "fast";
  /** The cap on output tokens per response. Absent: 8,000, raised to the model's maximum if that cut an answer. */
  maxOutputTokens?: number;
  /** Answers permission questions. Absent: whatever would be asked is denied. */
  ask?: AskPermission;
  /**
   * The name of a tool (`mcp__server__tool`, or one of `customTools`) that answers permission questions if `ask` is absent. It gets
   * `tool_name`, `input` and `tool_use_id`, and answers in JSON: `{behavior: "allow", updatedInput?}` or `{behavior: "deny", message?}`.
   */
  permissionPromptToolName?: string;
  /**
   * With `resume` or `continue`: the answer to a permission question that was open when the process died. Its call is run or refused once, with the
   * first prompt. If the call is not waiting, or may have run, the answer is ignored with a notice.
   */
  orphanedPermission?: { toolUseId: string; answer: PermissionAnswer };
  /** Functions that are asked at these events, beside the hooks of settings. */
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
  /** Aborting it ends the running turn, with its result, and every later turn before it asks the model anything. */
  abortController?: AbortController;
  /** Sends every prompt to the model; none is read as a command. For text written by others. Default false. */
  verbatimPrompts?: boolean;
  /** Set if no person is there to answer: denials then name the flag that would allow the call. */
  headless?: boolean;
  /**
   * Removes from the conversation the spans named by `QueryEngine.snip`, now and at every resume; this library's `snipReplay` implements
   * it. Absent: nothing is removed, and spans removed before a resume are back.
   */
  snipReplay?: SnipReplay;
  /** Agent types that the model may start, by name, in addition to those from files and the built-in ones. */
  agents?: Record<string, AgentDefinition>;
  /** The agent type of the main thread: its prompt, tools, model and hooks, in no laxer mode. Default: the type a resumed session had. */
  agent?: string;
  /** Limits for all agents together. Default: 3 deep, 20 at once, 200 started, 5,000 responses. */
  agentLimits?: Partial<AgentLimits>;
  /** This session works for another one: its end goes to SubagentStop hooks, and it starts nothing that only a main thread starts. */
  subagent?: SubagentIdentity;
  /** This session is a member of a team: TaskCompleted and TeammateIdle hooks are asked once its Stop hooks have passed. */
  teammate?: TeammatePort;
  /** Called with one line at a time, for a log. */
  debug?: (line: string) => void;
  /** Messages for a person at a terminal, such as ignored settings or skipped memory. */
  onNotice?: (text: string) => void;
  /** Called with the outcome of each file that a prompt mentions with an at sign, before the model answers; no message reports it. */
  onMention?: (news: MentionNews) => void;
  /** Called with what a hook sends to the terminal (`terminalSequence`): a title, a notification or the bell, and nothing else. */
  onTerminalSequence?: (sequence: string) => void;
  /** The version that messages, transcripts and `user-agent` name. Default: pawl's own. */
  version?: string;
  /** Replaces `node:http` for the HTTP exchange: an in-process scripted model, or a recording proxy. */
  transport?: (exchange: HttpExchange) => Promise<HttpAnswer>;
  /** Overrides single limits of the loop; `LoopLimits` has their defaults. */
  limits?: Partial<LoopLimits>;
  /** Replaces the time and the timers of the session, for runs that are the same each time. */
  clock?: ClockPort;
  /** Replaces the source of uuids and other ids, likewise. */
  ids?: IdPort;
  /** `process`: records survive the process. `power`: they survive a power cut (fdatasync before a call runs and a request leaves). */
  durability?: "process" | "power";
}
