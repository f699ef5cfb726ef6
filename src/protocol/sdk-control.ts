/** What a host is told of a session when it asks: the answers of the control methods, in the wire's own case. */
import type { Effort } from "./model.ts";
import type { McpServerStatus } from "./mcp.ts";
import type { SlashCommand } from "./sdk-commands.ts";

/** A model as clients list them. */
export interface SDKModelInfo {
  /** What `setModel` takes: an alias or an id. */
  value: string;
  /** The id that is sent. */
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
  /** Where the credentials are from; absent where there are none. */
  apiKeySource?: "ANTHROPIC_API_KEY" | "ANTHROPIC_AUTH_TOKEN" | "apiKeyHelper";
  apiProvider: "firstParty";
}

/** What a session is, told at its beginning. */
export interface SDKInitialization {
  commands: SlashCommand[];
  agents: SDKAgentInfo[];
  output_style: string;
  available_output_styles: string[];
  models: SDKModelInfo[];
  account: SDKAccountInfo;
}

/** What an interrupt found. */
export interface SDKInterruptReceipt {
  /** Messages that wait for turns of their own, by uuid. */
  still_queued: string[];
  /** Messages that were dropped because the interrupt asked for it. */
  cancelled?: string[];
}

/** `userSettings` and so on: a kind of settings file. `cliArg`: a flag or an option. */
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
  /** The key, with dots; empty for a whole file. */
  path: string;
  message: string;
}

/** Settings as their files say now; a session keeps those it began with. */
export interface SDKSettingsReport {
  /** What counts, in the shape of a settings file. */
  effective: Record<string, unknown>;
  /** Lowest first. */
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
    /** Why it does not run. */
    disabled?: true;
    disabledReason?: string;
  }[];
  policy: { disabledByPolicy: boolean; managedOnly: boolean };
}

/** What became of the servers that a host named. */
export interface SDKMcpServersSet {
  /** Begun now. */
  added: string[];
  /** Ended now. */
  removed: string[];
  /** By name, one sentence: those that cannot be used. */
  errors: Record<string, string>;
}

/** A command of the background. */
export interface SDKBackgroundTask {
  task_id: string;
  tool_use_id?: string;
  task_type: "shell" | "subagent" | "teammate";
  /** Of a teammate. */
  name?: string;
  /** `paused`: a teammate that rests. */
  status: "running" | "paused" | "completed" | "failed" | "killed";
  description: string;
  /** Of a command. */
  exit_code: number | null;
}

export interface SDKTaskOutput {
  /** The end of it. */
  output: string;
  total_bytes: number;
  truncated: boolean;
}

export interface SDKFileContents {
  contents: string;
  absPath: string;
  truncated?: true;
  encoding?: "base64";
  /** `contents` is not the file's own text: what was no UTF-8 was replaced. Absent with base64. */
  lossy?: boolean;
}

/** What a server's tool answered a host: a stranger's words. */
export interface SDKMcpCallResult {
  content: { type: string; [field: string]: unknown }[];
  isError?: true;
  structuredContent?: unknown;
}

/** A page of a server's, as it came: a stranger's words. */
export interface SDKMcpResource {
  contents: { uri: string; mimeType?: string; text?: string; blob?: string; _meta?: Record<string, unknown> }[];
}

/** What there is after plugins were looked at again. */
export interface SDKPluginsReloaded {
  commands: SlashCommand[];
  agents: SDKAgentInfo[];
  plugins: { name: string; path: string; version?: string }[];
  mcpServers: McpServerStatus[];
  /** Of what could not be read. */
  error_count: number;
}

/** What the user wants reached, with `/goal`: no turn ends before a model has judged that it is. */
export interface SDKActiveGoal {
  condition: string;
  /** How often it was judged. */
  iterations: number;
  /** ISO 8601. */
  set_at: string;
  /** What the session had used by then. */
  tokens_at_start: number;
  /** Why it was not met, when it was last judged. */
  last_reason?: string;
}
