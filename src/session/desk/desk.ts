/** What a host may ask of a session beside its turns: what there is, and what may be changed while it lasts. */
import type { ContextUsage } from "../../protocol/context-usage.ts";
import type { ThinkingDisplay } from "../../protocol/model.ts";
import type { McpServerConfig, McpServerStatus } from "../../protocol/mcp.ts";
import type { ToolInput } from "../../protocol/tool.ts";
import type { SDKTaskNotification } from "../../protocol/sdk-task.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import type {
  SDKAccountInfo,
  SDKActiveGoal,
  SDKAgentInfo,
  SDKBackgroundTask,
  SDKFileContents,
  SDKHooksListing,
  SDKMcpCallResult,
  SDKMcpResource,
  SDKMcpServersSet,
  SDKModelInfo,
  SDKPermissionRules,
  SDKPluginsReloaded,
  SDKSettingsReport,
  SDKTaskOutput,
} from "../../protocol/sdk-control.ts";

import type { StatusLineSettings } from "../../settings/settings.ts";

/** The terminal that a status line is for. */
export interface StatusLinePlace {
  columns: number;
  rows: number;
  /** The name of the work tree that the session works in. */
  worktree?: string | undefined;
  /** Of the prompt's keys, where they are Vim's. */
  vimMode?: "INSERT" | "NORMAL" | undefined;
}

export interface ReadFileOptions {
  /** Default 1 MB; at most 16. */
  maxBytes?: number;
  /** Default `utf-8`. */
  encoding?: "utf-8" | "base64";
}

export interface SessionDesk {
  models(): SDKModelInfo[];
  agents(): SDKAgentInfo[];
  /** Looks at the folders of skills and commands again; those that are new, changed or gone count as they are now. Answers all. */
  reloadSkills(): Promise<SlashCommand[]>;
  /**
   * Looks at plugins again: their skills, commands and kinds of agent count as they are now, their hooks, servers and styles are
   * those of the session's start.
   */
  reloadPlugins(): Promise<SDKPluginsReloaded>;
  /** Names of the styles there are now. The session keeps the one it began with. */
  reloadOutputStyles(): Promise<string[]>;
  /**
   * A folder inside those the session works in, as a repository of its own: its instructions are told at the next border. Throws
   * `UsageError` where it is none, or was named before.
   */
  registerRepoRoot(directory: string, reload: { instructions: boolean }): Promise<void>;
  /**
   * Has the session work in one more folder from now on, as `addDirs` would: absolute, from the current folder, or from `~`.
   * Answers it, absolute. Throws `UsageError` where it is none, or inside a working folder already.
   */
  addDirectory(directory: string): Promise<string>;
  /** A server's tool, under the session's rules and hooks; the model learns nothing of it. Throws `SessionError`. */
  callMcpTool(tool: string, input: ToolInput, signal?: AbortSignal): Promise<SDKMcpCallResult>;
  /** A page of a server's own, `ui://…`. Throws `SessionError`. */
  readMcpResource(server: string, uri: string): Promise<SDKMcpResource>;
  /**
   * A command of the person's own: run as Bash runs one, in its folder, unasked and outside of a sandbox. The model learns nothing of
   * it. Throws `SessionError` where the session has no Bash.
   */
  runCommand(command: string, signal: AbortSignal): Promise<OwnCommandResult>;
  /** What is to stand at a terminal's prompt; undefined where settings have none, or it is switched off. */
  readonly statusLine: StatusLineSettings | undefined;
  /**
   * Runs its command as hooks are run, told of the session on its standard input. Answers what it printed: empty where it failed, or
   * took longer than 5 s. Rejects once `signal` is aborted.
   */
  statusLineText(place: StatusLinePlace, signal: AbortSignal): Promise<string>;
  plugins(): { name: string; path: string; version?: string }[];
  /** The name of the style that answers are given in. */
  readonly outputStyle: string;
  account(): SDKAccountInfo;
  /** Each configured MCP server, and whether it is there. */
  mcpServers(): McpServerStatus[];
  /** Ends a server's connection, if there is one, and makes a new one. Throws where there is no such server. */
  reconnectMcpServer(name: string): Promise<McpServerStatus>;
  /** Switched off, a server is ended, and its tools answer with an error. Throws where there is no such server. */
  toggleMcpServer(name: string, isEnabled: boolean): Promise<McpServerStatus>;
  /**
   * Has the servers of this process, and those this method named before, be these: new ones are begun and waited for, those left
   * out are ended. Those of files, flags and other options stay until they are named here; an administrator's always. Tools are
   * on offer from the next turn border on.
   */
  setMcpServers(servers: Record<string, McpServerConfig>): Promise<SDKMcpServersSet>;
  /** The id of the model the session began with. */
  readonly firstModel: string;
  /**
   * Another model from the next user turn on; without a name the one the session began with. As a client asks for it: `PreModelSwitch`
   * hooks may refuse it, which throws a `SessionError`, and `PostModelSwitch` hooks are told. Throws `UsageError` where there is no
   * such model.
   */
  switchModel(name?: string, signal?: AbortSignal): Promise<void>;
  /** Where the tokens of the conversation are, as the next request would send it. */
  contextUsage(): ContextUsage;
  /**
   * From the next user turn on. 0 turns thinking off; null goes back to what the session began with; undefined leaves it.
   * `display`: absent as it is, null as at first. Throws `UsageError`.
   */
  setMaxThinkingTokens(tokens: number | null | undefined, display?: ThinkingDisplay | null): void;
  settings(): Promise<SDKSettingsReport>;
  /**
   * Lays settings over those of the `settings` option, key by key; null takes a key away. What forbids counts from the next call
   * of a tool on, `model`, `effortLevel`, `permissions`, `env` and `hooks` from the next prompt on; other keys there are, and
   * values that are not fit, throw `UsageError`, and nothing is changed.
   */
  applyFlagSettings(settings: object): Promise<void>;
  /** Writes keys that neither run nor permit anything into a person's own file; null takes a key out. Throws `UsageError`. */
  updateSettings(scope: "user" | "local", settings: object): Promise<void>;
  permissionRules(): Promise<SDKPermissionRules>;
  /** Undefined: nobody gave it one. */
  readonly title: string | undefined;
  /** What the session is listed and resumed by. Throws `not_recorded` where the transcript could not be written. */
  setTitle(title: string): void;
  /** Of settings; those of the host are its own. */
  hooks(): Promise<SDKHooksListing>;
  tasks(): SDKBackgroundTask[];
  /** What the user wants reached (`/goal`); null: nothing. */
  goal(): SDKActiveGoal | null;
  /** Called when a command of the background is over, also while no turn runs; the next turn tells it too. Returns what ends that. */
  onTaskEnd(listener: (message: SDKTaskNotification) => void): () => void;
  /** Undefined: there is no such task. */
  stopTask(id: string): Promise<SDKBackgroundTask | undefined>;
  /** Has calls go on without the commands they wait for: that of one call, or all. False: there is none of that call. */
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  taskOutput(id: string): Promise<SDKTaskOutput | undefined>;
  /** A file as the Read tool may see it, unasked. Throws an `Error` where it may not, or cannot be read. */
  readFile(path: string, options?: ReadFileOptions): Promise<SDKFileContents>;
  /** Paths below the folder that hold these characters in this order; the best first, at most 50. */
  suggestFiles(query: string): Promise<string[]>;
  /**
   * What a path may become that somebody has begun to write, from the current folder, from `~` or absolute: what its folder holds
   * under that name's beginning, a folder's name with a slash at its end; where there is none, files below that `suggestFiles` finds.
   * None that .gitignore names, or that may not be read. Where settings have a `fileSuggestion`, the first 15 that its command names
   * instead, if there are any. Rejects once `signal` is aborted.
   */
  completePath(begun: string, signal?: AbortSignal): Promise<string[]>;
  /** The host vouches that the conversation knows this file as it was at `mtimeMs` (ms since the epoch): it may be edited unless it changed since. */
  seedReadState(path: string, mtimeMs: number): Promise<void>;
}

export interface OwnCommandResult {
  /** What it printed, as the model would be given it. */
  text: string;
  isError: boolean;
}
