/** What a host may ask of a session outside its turns: what it offers, and what may be changed while it lasts. */
import type { ContextUsage } from "../../protocol/context-usage.ts";
import type { ThinkingDisplay } from "../../protocol/model.ts";
import type { McpServerConfig, McpServerStatus } from "../../protocol/mcp.ts";
import type { ToolInput } from "../../protocol/tool.ts";
import type { SDKTaskNotification } from "../../protocol/sdk-task.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import type { Theme } from "../../protocol/theme.ts";
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
  /** The name of the worktree that the session works in. */
  worktree?: string | undefined;
  /** The mode of the prompt's key bindings, if they are Vim's. */
  vimMode?: "INSERT" | "NORMAL" | "VISUAL" | "VISUAL LINE" | undefined;
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
  /** Rescans the folders of skills and commands; new, changed and removed ones take effect. Returns all. */
  reloadSkills(): Promise<SlashCommand[]>;
  /**
   * Rescans plugins: their skills, commands and agent types take effect as they are now; their hooks, servers and styles stay
   * those of the session's start.
   */
  reloadPlugins(): Promise<SDKPluginsReloaded>;
  /** Names of the styles available now. The session keeps the one it began with. */
  reloadOutputStyles(): Promise<string[]>;
  /**
   * Registers a folder inside the working folders as a repository of its own: its instructions are told at the next border.
   * Throws `UsageError` if it is not such a folder, or was registered before.
   */
  registerRepoRoot(directory: string, reload: { instructions: boolean }): Promise<void>;
  /**
   * Adds a working folder from now on, as `addDirs` would: absolute, relative to the current folder, or from `~`. Returns the
   * absolute path. Throws `UsageError` if it is not a folder, or is already inside a working folder.
   */
  addDirectory(directory: string): Promise<string>;
  /** Calls a server's tool under the session's rules and hooks; the model does not learn of it. Throws `SessionError`. */
  callMcpTool(tool: string, input: ToolInput, signal?: AbortSignal): Promise<SDKMcpCallResult>;
  /** Reads a page that a server provides, `ui://…`. Throws `SessionError`. */
  readMcpResource(server: string, uri: string): Promise<SDKMcpResource>;
  /**
   * Runs the person's own command as Bash would, in its folder, without asking and outside a sandbox. The model does not
   * learn of it. Throws `SessionError` if the session has no Bash. `onOutput` gets the end of what was printed since its last
   * call, about once a second.
   */
  runCommand(command: string, signal: AbortSignal, onOutput?: (text: string) => void): Promise<OwnCommandResult>;
  /** The colours that the settings want on a terminal; undefined if they do not say. */
  readonly theme: Theme | undefined;
  /** The settings of the status line at a terminal's prompt; undefined if there is no status line, or it is disabled. */
  readonly statusLine: StatusLineSettings | undefined;
  /**
   * Runs the status line's command as a hook would be run, with the session described on standard input. Returns what it
   * printed; empty if it failed or took longer than 5 s. Rejects once `signal` is aborted.
   */
  statusLineText(place: StatusLinePlace, signal: AbortSignal): Promise<string>;
  plugins(): { name: string; path: string; version?: string }[];
  /** The name of the output style in use. */
  readonly outputStyle: string;
  account(): SDKAccountInfo;
  /** Every configured MCP server with its status. */
  mcpServers(): McpServerStatus[];
  /** Ends a server's connection, if any, and makes a new one. Throws if there is no such server. */
  reconnectMcpServer(name: string): Promise<McpServerStatus>;
  /** Disabling a server ends its connection, and its tools then answer with an error. Throws if there is no such server. */
  toggleMcpServer(name: string, isEnabled: boolean): Promise<McpServerStatus>;
  /**
   * Replaces the servers of this process and those this method named before: starts new ones and waits for them, and ends
   * those left out. Servers from files, flags and other options stay until they are named here; an administrator's servers
   * always stay. Tools are offered from the next turn border on.
   */
  setMcpServers(servers: Record<string, McpServerConfig>): Promise<SDKMcpServersSet>;
  /**
   * Why the tool of `permissionPromptToolName` cannot answer questions, in one clause; undefined if it is there, or may come because
   * its server is not connected yet. Waits for the servers as the first turn would, which then does not wait again. A server that
   * `setMcpServers` adds later is not considered.
   */
  promptToolProblem(signal?: AbortSignal): Promise<string | undefined>;
  /** The id of the model that the session began with. */
  readonly firstModel: string;
  /**
   * Switches the model from the next request on, also during a turn; without a name, back to the one that the session began
   * with. As for a client: `PreModelSwitch` hooks may refuse, which throws a `SessionError`, and `PostModelSwitch` hooks are
   * told. Throws `UsageError` for an unknown model.
   */
  switchModel(name?: string, signal?: AbortSignal): Promise<void>;
  /** How the tokens of the conversation are distributed in the next request. */
  contextUsage(): ContextUsage;
  /**
   * Takes effect with the next user turn. 0 turns thinking off; null restores the setting from the session's start; undefined
   * leaves it. `display`: absent leaves it, null restores the initial one. Throws `UsageError`.
   */
  setMaxThinkingTokens(tokens: number | null | undefined, display?: ThinkingDisplay | null): void;
  settings(): Promise<SDKSettingsReport>;
  /**
   * Applies settings on top of the `settings` option, key by key; null removes a key. Restrictions apply from the next tool
   * call; `model` from the next request; `effortLevel`, `permissions`, `env` and `hooks` from the next prompt. Other keys and
   * invalid values throw `UsageError`, and nothing is changed.
   */
  applyFlagSettings(settings: object): Promise<void>;
  /** Writes keys that neither run nor permit anything to a person's own file; null removes a key. Throws `UsageError`. */
  updateSettings(scope: "user" | "local", settings: object): Promise<void>;
  permissionRules(): Promise<SDKPermissionRules>;
  /** Undefined if nobody has set one. */
  readonly title: string | undefined;
  /** Sets the title for listing and resuming the session. Throws `not_recorded` if the transcript could not be written. */
  setTitle(title: string): void;
  /** Hooks from settings; the host knows its own. */
  hooks(): Promise<SDKHooksListing>;
  tasks(): SDKBackgroundTask[];
  /** The goal the user has set (`/goal`); null if there is none. */
  goal(): SDKActiveGoal | null;
  /** Calls the listener when a background command ends, even between turns; the next turn reports it too. Returns a stop function. */
  onTaskEnd(listener: (message: SDKTaskNotification) => void): () => void;
  /** Undefined if there is no such task. */
  stopTask(id: string): Promise<SDKBackgroundTask | undefined>;
  /** Lets calls continue without waiting for their commands: one call, or all. False if that call has none. */
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  taskOutput(id: string): Promise<SDKTaskOutput | undefined>;
  /** Reads a file within what the Read tool may see without asking. Throws `SessionError` if it may not or cannot be read. */
  readFile(path: string, options?: ReadFileOptions): Promise<SDKFileContents>;
  /** Paths below the folder that contain these characters in this order; the best first, at most 50. */
  suggestFiles(query: string): Promise<string[]>;
  /**
   * Completes a path that somebody has begun to type, relative, from `~` or absolute: entries of its folder that begin with
   * the last part, folders with a trailing slash; if there are none, files below, as `suggestFiles` finds them, but all. Leaves out files
   * that .gitignore names or that may not be read. If settings have a `fileSuggestion`, the first 15 that its command names
   * instead, if any. Rejects once `signal` is aborted.
   */
  completePath(begun: string, signal?: AbortSignal): Promise<string[]>;
  /** The host vouches that the conversation knows this file as of `mtimeMs` (ms since the epoch): it may be edited if unchanged since. */
  seedReadState(path: string, mtimeMs: number): Promise<void>;
}

export interface OwnCommandResult {
  /** The output, as the model would get it. */
  text: string;
  isError: boolean;
}
