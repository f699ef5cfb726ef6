/** The answers of the control methods, in wire case: what a host learns about a session when it asks. */
import type { Effort } from "./model.ts";
import type { McpServerStatus } from "./mcp.ts";
import type { SlashCommand } from "./sdk-commands.ts";

/** A model as clients list them. */
export interface SDKModelInfo {
  /** What `setModel` takes: an alias or an id. */
  value: string;
  /** The model id that is sent to the API. */
  resolvedModel: string;
  displayName: string;
  description: string;
  supportsEffort?: boolean;
  supportedEffortLevels?: Effort[];
  supportsAdaptiveThinking?: boolean;
  supportsFastMode?: boolean;
}

export interface SDKAgentInfo {
  name: string;
  description: string;
  model?: string;
}

export interface SDKAccountInfo {
  /** Where the credentials come from; absent if there are none. */
  apiKeySource?: "ANTHROPIC_API_KEY" | "ANTHROPIC_AUTH_TOKEN" | "apiKeyHelper";
  apiProvider: "firstParty";
}

/** Describes a session at its beginning. */
export interface SDKInitialization {
  commands: SlashCommand[];
  agents: SDKAgentInfo[];
  output_style: string;
  available_output_styles: string[];
  models: SDKModelInfo[];
  account: SDKAccountInfo;
}

/** The result of an interrupt. */
export interface SDKInterruptReceipt {
  /** The uuids of messages that wait for turns of their own. */
  still_queued: string[];
  /** Messages that were dropped because the interrupt asked for it. */
  cancelled?: string[];
}

/** `userSettings` and the like: a kind of settings file. `cliArg`: a command-line flag or a library option. */
export type SDKSource =
  | "userSettings"
  | "projectSettings"
  | "localSettings"
  | "policySettings"
  | "flagSettings"
  | "cliArg"
  | "session";

export interface SDKSettingsError {
  file?: string;
  /** The dotted key; empty if the error concerns the whole file. */
  path: string;
  message: string;
}

/** The settings as their files are now. A running session keeps the settings it began with. */
export interface SDKSettingsReport {
  /** The merged settings in effect, in the shape of a settings file. */
  effective: Record<string, unknown>;
  /** Lowest precedence first. */
  sources: { source: SDKSource; file: string; settings: Record<string, unknown> }[];
  errors: SDKSettingsError[];
}

export interface SDKPermissionRules {
  rules: {
    behavior: "allow" | "deny" | "ask";
    source: SDKSource;
    rule: string;
    editability: "persistent" | "session" | "readonly";
  }[];
  workspaceDirectories: { path: string; source: SDKSource }[];
  originalCwd: string;
  managedOnly: boolean;
}

export interface SDKHooksListing {
  events: { name: string; supportsMatcher: boolean; hookCount: number }[];
  hooks: {
    event: string;
    matcher: string;
    source: string;
    type: string;
    commandText: string;
    condition?: string;
    timeout: number;
    /** The hook does not run; `disabledReason` says why. */
    disabled?: true;
    disabledReason?: string;
  }[];
  policy: { disabledByPolicy: boolean; managedOnly: boolean };
}

/** The result of setting the servers that the host provides. */
export interface SDKMcpServersSet {
  /** Servers that were started. */
  added: string[];
  /** Servers that were stopped. */
  removed: string[];
  /** Servers that cannot be used: by name, one sentence each. */
  errors: Record<string, string>;
}

/** A background task. */
export interface SDKBackgroundTask {
  task_id: string;
  tool_use_id?: string;
  task_type: "shell" | "subagent" | "teammate";
  /** If the task is a teammate. */
  name?: string;
  /** `paused`: an idle teammate. */
  status: "running" | "paused" | "completed" | "failed" | "killed";
  description: string;
  /** If the task is a command. */
  exit_code: number | null;
}

export interface SDKTaskOutput {
  /** The last part of the output. */
  output: string;
  total_bytes: number;
  truncated: boolean;
}

export interface SDKFileContents {
  contents: string;
  absPath: string;
  truncated?: true;
  encoding?: "base64";
  /** Bytes that were not valid UTF-8 were replaced, so `contents` is not the file's exact text. Absent with base64. */
  lossy?: boolean;
}

/** What a server's tool returned. Untrusted content. */
export interface SDKMcpCallResult {
  content: { type: string; [field: string]: unknown }[];
  isError?: true;
  structuredContent?: unknown;
}

/** An MCP server's resource, exactly as it came. Untrusted content. */
export interface SDKMcpResource {
  contents: { uri: string; mimeType?: string; text?: string; blob?: string; _meta?: Record<string, unknown> }[];
}

/** What is available after plugins were reloaded. */
export interface SDKPluginsReloaded {
  commands: SlashCommand[];
  agents: SDKAgentInfo[];
  plugins: { name: string; path: string; version?: string }[];
  mcpServers: McpServerStatus[];
  /** How many problems were found while reading them. */
  error_count: number;
}

/** The goal set with `/goal`: a turn ends only after a model has judged that the goal is met. */
export interface SDKActiveGoal {
  condition: string;
  /** How often the goal was judged. */
  iterations: number;
  /** ISO 8601. */
  set_at: string;
  /** The tokens the session had used when the goal was set. */
  tokens_at_start: number;
  /** Why the goal was not met at the last judgement. */
  last_reason?: string;
}
