/** What a session is made of, as its maker says it. Surfaces and the SDK fill the same record. */
import type { AgentDefinition } from "../../protocol/agent.ts";
import type { HookEvent } from "../../protocol/hook.ts";
import type { Effort, ThinkingDisplay, ThinkingSetting } from "../../protocol/model.ts";
import type { McpElicitationDone, McpServerConfig, OnElicitation } from "../../protocol/mcp.ts";
import type { MentionNews } from "../../protocol/mention.ts";
import type { SnipReplay } from "../../protocol/message.ts";
import type { AskPermission, PermissionAnswer, PermissionMode } from "../../protocol/permission.ts";
import type { Tool } from "../../protocol/tool.ts";
import type { SubagentIdentity, TeammatePort } from "../../protocol/turn-end.ts";
import type { AgentLimits } from "../agents/limits.ts";
import type { TranscriptMirror } from "../mirror/mirror.ts";
import type { SessionStore } from "../mirror/host-store.ts";
import type { ClockPort, IdPort, LoopLimits } from "../../loop/ports.ts";
import type { HookCallbackInput } from "../convention/hook-inputs.ts";

/** What a hook callback returns, in the public convention's JSON; see the hook documentation for the fields. */
export type HookCallbackOutput = Record<string, unknown> | undefined | void;

export interface HookCallbackMatcher {
  /** Tool name, list or expression; absent matches all. */
  matcher?: string | undefined;
  /** ms; default 60,000. */
  timeoutMs?: number | undefined;
  /** `block`: where it fails, what it was asked about is refused. Default `continue`: it is passed over, with a notice. */
  onFailure?: "continue" | "block" | undefined;
  callback: (
    input: HookCallbackInput,
    context: { signal: AbortSignal; toolUseId?: string },
  ) => Promise<HookCallbackOutput>;
  /** Of the other shape. */
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
  /** Where the session works. Absolute; default: the process's. */
  cwd?: string;
  /** Read instead of the process's environment. */
  env?: Record<string, string | undefined>;
  home?: string;
  /** Id or alias. */
  model?: string;
  /** Tried in order when the model is overloaded or missing; comma-separated or a list. */
  fallbackModel?: string | string[];
  /** Turns of one user turn. */
  maxTurns?: number;
  /** USD this process may spend on the session. */
  maxBudgetUsd?: number;
  /** Output tokens of work on each prompt: the loop nudges a model that stops well short of it, and stops where nudges bring little. */
  tokenBudget?: number;
  /** Tokens from 20,000 on that the server counts down before the model's eyes, of models that have this. It limits nothing. */
  taskBudget?: { total: number };
  permissionMode?: PermissionMode;
  /** What the model is told of how a plan is made, in the place of pawl's own words; what the mode is, and how it ends, is told anyway. */
  planModeInstructions?: string;
  allowedTools?: string[];
  disallowedTools?: string[];
  /** Names that the model may call a tool by, each with the tool that it is then; one that is not there answers with an error. */
  toolAliases?: Record<string, string>;
  /** Names of skills that the model is offered; a person may still type the others. Default: `all`. */
  skills?: string[] | "all";
  /** Shows what agents say, and not only their calls. Default false. */
  forwardSubagentText?: boolean;
  /** Values for the `anthropic-beta` header, beside those of `ANTHROPIC_BETAS`. */
  betas?: string[];
  /** Built-in tools on offer. Absent: the default set. Empty: none. */
  tools?: string[];
  /** How previews are written that `AskUserQuestion` may show with an option. Absent: there are none. */
  toolConfig?: { askUserQuestion?: { previewFormat?: "markdown" | "html" } };
  /** Tools of the caller's own, beside the built-in ones. */
  customTools?: Tool[];
  /** MCP servers by name, beside those that files configure; `createSdkMcpServer` makes one of functions. */
  mcpServers?: Record<string, McpServerConfig>;
  /** Further ones: paths of files such as `.mcp.json`, or their text. */
  mcpConfig?: string[];
  /** Only the servers of `mcpServers` and `mcpConfig`. Default false. */
  strictMcpConfig?: boolean;
  /** Answers what MCP servers ask the user; absent: it is declined. */
  onElicitation?: OnElicitation;
  /** Told once what a server asked to be done at an address is done there, as the server says. */
  onElicitationComplete?: (done: McpElicitationDone) => void;
  /** Replaces the default system prompt. */
  systemPrompt?: string;
  appendSystemPrompt?: string;
  /** Added to the system prompts of agents below the session. */
  appendSubagentSystemPrompt?: string;
  /**
   * Where the work is done, and git's state, are told with the first message: the default system prompt is then the same in each folder
   * and on each machine, and so is what a provider's cache keeps of it. No effect with `systemPrompt` or `agent`.
   */
  excludeDynamicSections?: boolean;
  /** Folders to work in besides `cwd`: absolute, or from there. */
  addDirs?: string[];
  /** Folders of plugins, with all that they bring: skills, commands, agents, hooks, servers, styles. Absolute. */
  pluginDirs?: string[];
  /** The same, but for the servers they bring. */
  pluginDirsWithoutServers?: string[];
  /** A session's id or title. */
  resume?: string;
  /** The newest session of this folder. */
  continue?: boolean;
  /** With `resume` or `continue`: the uuid of the message after which the session goes on. What came later stays in the transcript. */
  resumeSessionAt?: string;
  /** With `resumeSessionAt`: the uuid of the prompt whose turn is to be dropped; where more would go, the session is refused. */
  resumeDropsTurn?: string;
  forkSession?: boolean;
  /** What the session is called in lists, and can be resumed by. A session that goes on is renamed. */
  title?: string;
  /** UUID for a new session. */
  sessionId?: string;
  /** Gets what transcripts get; a session of it is resumed from there. */
  sessionStore?: SessionStore;
  /** `eager`: each entry by itself. Default `batched`: what comes within 100 ms together. */
  sessionStoreFlush?: "batched" | "eager";
  /** Of the session store, for each answer to a resume, ms. Default 60,000. */
  loadTimeoutMs?: number;
  /** The same for a host that has its own way. */
  transcriptMirror?: TranscriptMirror;
  /** Where sessions are kept, instead of `$PAWL_HOME`. Absolute. */
  sessionsHome?: string;
  /** False: nothing is written. Default true. */
  persistSession?: boolean;
  /**
   * What can be rewound. `true`: whatever the work changes in the working folders, by commands and other people's tools as well, which
   * takes a look at every file there once a prompt. `false`: nothing. Default: what Write, Edit and NotebookEdit change.
   */
  enableFileCheckpointing?: boolean;
  /** A settings file's path, or JSON text. */
  settings?: string;
  /** Whose settings and memory files count; an administrator's always do. Default: all. */
  settingSources?: ("user" | "project" | "local")[];
  /**
   * Laid down as by an administrator, where this machine has none: what forbids counts (rules that deny and ask, lists of servers and
   * models, hooks, parts of `sandbox`), what would permit is left out, and told.
   */
  managedSettings?: object;
  /** What commands may reach, over `settings`. With `enabled`, no session without a sandbox unless `failIfUnavailable` is false. */
  sandbox?: Record<string, unknown>;
  /**
   * Nothing that is found around the session is taken: no hooks but an administrator's, no skills, commands, agents, plugins,
   * instructions and notes; of MCP servers those of `mcpServers` and `mcpConfig`; without `tools`, only Bash, Read and Edit. What
   * settings permit and forbid counts. Default: where `CLAUDE_CODE_SIMPLE` is set.
   */
  bare?: boolean;
  /** Takes the folder's own settings for trusted in this session, whatever they hold. Default: where the user has said so. */
  trust?: boolean;
  includePartialMessages?: boolean;
  /**
   * With `includePartialMessages`: `MessageDisplay` hooks are asked about each batch of completed lines, and what they answer stands in
   * the `stream_event`s. For a surface that shows the answer as it comes. Default: about each whole message.
   */
  displayByLines?: boolean;
  /** An answer that fits this JSON Schema: the result has it as `structured_output`, or is no success. */
  outputFormat?: { type: "json_schema"; schema: Record<string, unknown> };
  /** Messages `hook_started`, `hook_progress` and `hook_response` of all hooks; else of those of `SessionStart`. Default false. */
  includeHookEvents?: boolean;
  /** With the first prompt: runs `Setup` hooks with this trigger, before those of `SessionStart`. */
  setup?: "init" | "maintenance";
  /** After three or more calls at once: a `tool_use_summary` message, one line by the small model. Default false. */
  toolUseSummaries?: boolean;
  /** After a `result`: a `prompt_suggestion` message with what the user might say next, where one comes within 15 s. Default false. */
  promptSuggestions?: boolean;
  /** How thorough the model is. What it does not have becomes the nearest below; `onNotice` is told. */
  effort?: Effort;
  /** `budgetTokens` from 1024 on, default 31,999, for models that think within a budget. What a model does not take is mapped and told. */
  thinking?:
    | Exclude<ThinkingSetting, { type: "enabled" }>
    | { type: "enabled"; budgetTokens?: number; display?: ThinkingDisplay };
  /** The same as `thinking` with a budget; 0 turns it off. */
  maxThinkingTokens?: number;
  /** `fast`: faster answers at a higher price, on models that have it. Default `standard`. */
  speed?: "standard" | "fast";
  /** Cap on output tokens of a response. Absent: 8,000, and as many as the model gives where that cut an answer. */
  maxOutputTokens?: number;
  /** Answers permission questions; absent: what would be asked is denied. */
  ask?: AskPermission;
  /**
   * Name of a tool (`mcp__server__tool`, or one of `customTools`) that answers permission questions where `ask` is absent. It gets
   * `tool_name`, `input` and `tool_use_id`, and answers in JSON: `{behavior: "allow", updatedInput?}` or `{behavior: "deny", message?}`.
   */
  permissionPromptToolName?: string;
  /**
   * With `resume`: the answer to a permission question that was open when the process died. Its call is run or refused once, with
   * the first prompt; where it does not wait, or may have run, the answer is not used, which is said.
   */
  orphanedPermission?: { toolUseId: string; answer: PermissionAnswer };
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
  /** Aborting it ends the turn that runs, with its result, and every later one before it asks anything. */
  abortController?: AbortController;
  /** Every prompt is for the model: none is read as a command. For text that others wrote. Default false. */
  verbatimPrompts?: boolean;
  /** No person is there to answer: denials name the flag that would allow. */
  headless?: boolean;
  /**
   * Takes out of the conversation the spans that `QueryEngine.snip` names, now and at every resume; `snipReplay` of this library
   * does. Absent: nothing is taken out, and what was taken out before a resume is back.
   */
  snipReplay?: SnipReplay;
  /** Kinds of agent that the model may start, by name, beside those of files and those that come with pawl. */
  agents?: Record<string, AgentDefinition>;
  /** The kind of agent that the main thread is: its prompt, tools, model and hooks, in no laxer mode. Default: what a resumed session was. */
  agent?: string;
  /** Bounds of all agents together. Default: 3 deep, 20 at once, 200 started, 5,000 responses. */
  agentLimits?: Partial<AgentLimits>;
  /** This session works for another one: its end is told to SubagentStop hooks, and nothing is begun there that a main thread begins. */
  subagent?: SubagentIdentity;
  /** This session is one of a team: TaskCompleted and TeammateIdle hooks are asked where its Stop hooks have passed. */
  teammate?: TeammatePort;
  /** One line each, for a log. */
  debug?: (line: string) => void;
  /** For people, on a terminal: settings ignored, memory skipped. */
  onNotice?: (text: string) => void;
  /** What became of each file that a prompt names with an at sign, told before the model answers; no message says it. */
  onMention?: (news: MentionNews) => void;
  /** What a hook would have the terminal do (`terminalSequence`): a title, a notification or the bell, and nothing else. */
  onTerminalSequence?: (sequence: string) => void;
  version?: string;
  /** Makes the HTTP exchange instead of `node:http`: an in-process scripted model, a recording proxy. */
  transport?: (exchange: HttpExchange) => Promise<HttpAnswer>;
  limits?: Partial<LoopLimits>;
  clock?: ClockPort;
  ids?: IdPort;
  /** `process`: a record survives the process. `power`: it survives a power cut (fdatasync before a call runs and before a request leaves). */
  durability?: "process" | "power";
}
