/** The parameters and the result of `query()`. */
import type { ContextUsage } from "../../protocol/context-usage.ts";
import type { McpServerConfig } from "../../protocol/mcp.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { ThinkingDisplay } from "../../protocol/model.ts";
import type { PermissionMode } from "../../protocol/permission.ts";
import type { SDKMessage, SDKUserMessage } from "../../protocol/sdk.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import type {
  SDKAccountInfo,
  SDKAgentInfo,
  SDKBackgroundTask,
  SDKFileContents,
  SDKInitialization,
  SDKInterruptReceipt,
  SDKMcpResource,
  SDKMcpServersSet,
  SDKModelInfo,
  SDKPluginsReloaded,
} from "../../protocol/sdk-control.ts";
import type { Options } from "../options/query-options.ts";
import type { ReadFileOptions, SessionDesk } from "../desk/desk.ts";
import type { RewindFilesOptions, RewindFilesResult } from "../files/rewind-types.ts";

/** The settings file that each source name stands for. */
export const writableSources = new Map<string, "user" | "local">([
  ["userSettings", "user"],
  ["localSettings", "local"],
]);

/** A prompt: text, content blocks, or the message that a client of the wire protocol would send. */
export type PromptInput = string | ContentBlock[] | SDKUserMessage;

export interface QueryParams {
  prompt: string | AsyncIterable<PromptInput>;
  options?: Options | undefined;
}

/**
 * The messages that answer the prompts, and control of the session in the meantime. The first message or the first method call creates
 * the session; the last message, `return()` or `close()` closes it. After that, the methods throw.
 */
export interface Query extends AsyncGenerator<SDKMessage, void> {
  /** Ends the running turn, or the first turn before it has begun. The session goes on. Always resolves, and at once. */
  interrupt(): Promise<SDKInterruptReceipt>;
  /** Takes effect with the next request, also during a turn; undefined selects the model the session started with. Rejects if a `PreModelSwitch` hook refuses. */
  setModel(model?: string): Promise<void>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** Takes effect with the next turn. 0 turns thinking off; null restores the initial setting. */
  setMaxThinkingTokens(tokens: number | null, display?: ThinkingDisplay | null): Promise<void>;
  initializationResult(): Promise<SDKInitialization>;
  /** The same as `initializationResult()`. */
  reinitialize(): Promise<SDKInitialization>;
  supportedCommands(): Promise<SlashCommand[]>;
  supportedModels(): Promise<SDKModelInfo[]>;
  supportedAgents(): Promise<SDKAgentInfo[]>;
  mcpServerStatus(): Promise<ReturnType<SessionDesk["mcpServers"]>>;
  /** Closes the connection to a server, if there is one, and opens a new one. Throws if there is no such server. */
  reconnectMcpServer(name: string): Promise<void>;
  /** Throws if there is no such server, or if a server that is turned on does not connect. */
  toggleMcpServer(name: string, isEnabled: boolean): Promise<void>;
  /** Replaces the servers of this process and those that an earlier call of this method added. */
  setMcpServers(servers: Record<string, McpServerConfig>): Promise<SDKMcpServersSet>;
  /** Merges settings over those of the option `settings`, key by key; null removes a key. Throws `UsageError`. */
  applyFlagSettings(settings: object): Promise<void>;
  /** Writes keys to the user's own settings file; keys that run or permit anything are refused with `UsageError`. */
  updateSettings(source: "userSettings" | "localSettings", settings: object): Promise<void>;
  /** Reads the skill and command folders again. Returns the commands that can be typed, without the built-in ones. */
  reloadSkills(): Promise<{ skills: SlashCommand[] }>;
  /** Reads the plugins again; hooks, servers and styles stay as they were at the start of the session. */
  reloadPlugins(): Promise<SDKPluginsReloaded>;
  /** Returns the names of the styles that exist now. */
  reloadOutputStyles(): Promise<{ available_output_styles: string[] }>;
  /** Returns a page that a server provides under `ui://…`. Its content is untrusted. */
  readMcpResource(server: string, uri: string): Promise<SDKMcpResource>;
  accountInfo(): Promise<SDKAccountInfo>;
  getContextUsage(): Promise<ContextUsage>;
  /** Restores the files to their state before the prompt with this uuid. Refused while a turn runs. */
  rewindFiles(userMessageUuid: string, options?: RewindFilesOptions): Promise<RewindFilesResult>;
  /** Returns null if the file may not, or cannot, be read. */
  readFile(path: string, options?: ReadFileOptions): Promise<SDKFileContents | null>;
  seedReadState(path: string, mtimeMs: number): Promise<void>;
  /** Ends a background command or an agent (a teammate also by its name). Returns undefined if there is no task with that id. */
  stopTask(taskId: string): Promise<SDKBackgroundTask | undefined>;
  /** Moves running commands to the background: that of one call, or all. Returns false if that call has no running command. */
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  /** Adds prompts after the existing ones. They are read at once; the promise resolves when all are read, not when they are answered. */
  streamInput(prompts: AsyncIterable<PromptInput>): Promise<void>;
  /** Ends whatever is running and closes the session. */
  close(): Promise<void>;
}
