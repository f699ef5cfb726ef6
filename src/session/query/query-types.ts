/** What `query()` takes and gives. */
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
import type { Options } from "../convention/query-options.ts";
import type { ReadFileOptions, SessionDesk } from "../desk/desk.ts";
import type { RewindFilesOptions, RewindFilesResult } from "../files/rewinding.ts";

/** Which settings file is meant. */
export const writableSources = new Map<string, "user" | "local">([
  ["userSettings", "user"],
  ["localSettings", "local"],
]);

/** A prompt as text, as blocks, or as the message that a client of the wire would send. */
export type PromptInput = string | ContentBlock[] | SDKUserMessage;

export interface QueryParams {
  prompt: string | AsyncIterable<PromptInput>;
  options?: Options | undefined;
}

/**
 * The messages of its prompts, and control of the session meanwhile. The session is made with the first message or the first
 * method called, and closed with the last message, `return()` or `close()`; afterwards the methods throw.
 */
export interface Query extends AsyncGenerator<SDKMessage, void> {
  /** Ends the running turn, or the first one before it has begun; the session goes on. Answers at once, and always. */
  interrupt(): Promise<SDKInterruptReceipt>;
  /** From the next turn on; nothing is the model it began with. Rejects where a `PreModelSwitch` hook refuses it. */
  setModel(model?: string): Promise<void>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** From the next turn on. 0 turns thinking off, null is as at first. */
  setMaxThinkingTokens(tokens: number | null, display?: ThinkingDisplay | null): Promise<void>;
  initializationResult(): Promise<SDKInitialization>;
  /** The same again. */
  reinitialize(): Promise<SDKInitialization>;
  supportedCommands(): Promise<SlashCommand[]>;
  supportedModels(): Promise<SDKModelInfo[]>;
  supportedAgents(): Promise<SDKAgentInfo[]>;
  mcpServerStatus(): Promise<ReturnType<SessionDesk["mcpServers"]>>;
  /** Ends the connection to a server, if there is one, and makes a new one. Throws where there is no such server. */
  reconnectMcpServer(name: string): Promise<void>;
  toggleMcpServer(name: string, isEnabled: boolean): Promise<void>;
  /** Has the servers of this process, and those this method named before, be these. */
  setMcpServers(servers: Record<string, McpServerConfig>): Promise<SDKMcpServersSet>;
  /** Lays settings over those of the option `settings`, key by key; null takes a key away. Throws `UsageError`. */
  applyFlagSettings(settings: object): Promise<void>;
  /** Writes keys that neither run nor permit anything into a person's own file. Throws `UsageError`. */
  updateSettings(source: "userSettings" | "localSettings", settings: object): Promise<void>;
  /** Looks at the folders of skills and commands again. Answers those that can be typed, which the session's own are not among. */
  reloadSkills(): Promise<{ skills: SlashCommand[] }>;
  /** Looks at plugins again; what runs with the session stays as it began. */
  reloadPlugins(): Promise<SDKPluginsReloaded>;
  /** Names of the styles there are now. */
  reloadOutputStyles(): Promise<{ available_output_styles: string[] }>;
  /** A page of a server's own, `ui://…`: a stranger's words. */
  readMcpResource(server: string, uri: string): Promise<SDKMcpResource>;
  accountInfo(): Promise<SDKAccountInfo>;
  getContextUsage(): Promise<ContextUsage>;
  /** Files back to what they were before the prompt of this uuid; not while a turn runs. */
  rewindFiles(userMessageUuid: string, options?: RewindFilesOptions): Promise<RewindFilesResult>;
  /** Null where it may not, or cannot, be read. */
  readFile(path: string, options?: ReadFileOptions): Promise<SDKFileContents | null>;
  seedReadState(path: string, mtimeMs: number): Promise<void>;
  /** Ends a command of the background, or an agent, a teammate by its name too; undefined where there is none of that id. */
  stopTask(taskId: string): Promise<SDKBackgroundTask | undefined>;
  /** Has calls go on without the commands they wait for: that of one call, or all. False: there is none of that call. */
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  /** Further prompts, after those there are. They are read at once: resolves when that is done, and not when they are answered. */
  streamInput(prompts: AsyncIterable<PromptInput>): Promise<void>;
  /** Ends what runs and closes the session. */
  close(): Promise<void>;
}
