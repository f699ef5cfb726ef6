/** Options as agent SDKs name and shape them, so that a program written for one can hand pawl what it hands there. */
import type { McpServerProvenance } from "../../protocol/mcp.ts";
import type { HookEvent } from "../../protocol/hook.ts";
import type { PermissionRuleValue, PermissionUpdate } from "../../protocol/permission.ts";
import type { EngineOptions, HookCallbackMatcher, HookCallbackOutput } from "../options/options.ts";
import type { HookCallbackInput } from "./hook-inputs.ts";

/** What a permission question is answered with. */
export type PermissionResult =
  | {
      behavior: "allow";
      updatedInput?: Record<string, unknown> | undefined;
      updatedPermissions?: PermissionUpdate[] | undefined;
      toolUseID?: string | undefined;
    }
  | { behavior: "deny"; message: string; interrupt?: boolean | undefined; toolUseID?: string | undefined };

export interface CanUseToolContext {
  signal: AbortSignal;
  /** What would spare the next question of the kind, for `updatedPermissions`. */
  suggestions?: PermissionUpdate[];
  /** The file that it is asked for. */
  blockedPath?: string;
  decisionReason?: string;
  displayName?: string;
  description?: string;
  toolUseID: string;
  /** Whose call it is, where an agent of the session makes it. */
  agentID?: string;
  requestId: string;
  matchedAskRule?: PermissionRuleValue & { source: string };
  /** Whose tool it is, where it is one of an MCP server: to be gone by instead of the tool's name. */
  mcpServer?: McpServerProvenance;
}

/** Called for what no rule decides. What it throws, and null, refuses the call. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  context: CanUseToolContext,
) => Promise<PermissionResult | null>;

/** Answers in the public convention's JSON. `toolUseID` where a tool is called. */
export type HookCallback = (
  input: HookCallbackInput,
  toolUseID: string | undefined,
  context: { signal: AbortSignal },
) => Promise<HookCallbackOutput>;

export interface HookCallbacks {
  /** Tool name, list or expression; absent matches all. */
  matcher?: string | undefined;
  hooks: HookCallback[];
  /** Seconds. */
  timeout?: number | undefined;
  onFailure?: "continue" | "block" | undefined;
  /** Of the other shape. */
  callback?: never;
  timeoutMs?: never;
}

export type SystemPromptOption =
  | string
  /** Blocks; `SYSTEM_PROMPT_DYNAMIC_BOUNDARY` among them marks what follows as of this session. */
  | string[]
  | { type: "custom"; prompt: string | string[]; snapshot?: boolean }
  /** pawl's own prompt, with `append` added. */
  | { type: "preset"; preset: "claude_code"; append?: string; excludeDynamicSections?: boolean; snapshot?: boolean };

type Shaped = "debug" | "env" | "hooks" | "settings" | "systemPrompt" | "tools";

/** Options of `query` and `createEngine`: pawl's own, and those of agent SDKs. */
export interface QueryOptions extends Omit<EngineOptions, Shaped> {
  /** Instead of `ask`. */
  canUseTool?: CanUseTool;
  /** Instead of `addDirs`. */
  additionalDirectories?: string[];
  /** Instead of `pluginDirs`. */
  plugins?: { type: "local"; path: string; skipMcpDiscovery?: boolean }[];
  /** `none`: nobody is asked, and what would be is refused. Default `host`. */
  permissionPrompts?: "host" | "none";
  /** Read instead of the process's environment. */
  env?: Record<string, string | undefined>;
  hooks?: Partial<Record<HookEvent, (HookCallbackMatcher | HookCallbacks)[]>>;
  /** Default: pawl's own. */
  systemPrompt?: SystemPromptOption;
  /** Built-in tools on offer. Absent and the preset: the default set. Empty: none. */
  tools?: string[] | { type: "preset"; preset: "claude_code" };
  /** A settings file's path, JSON text, or the settings themselves. */
  settings?: string | object;
  /** One line each, for a log; `true`: to `stderr`. */
  debug?: boolean | ((line: string) => void);
  /** Each line of `debug` is appended to this file. */
  debugFile?: string;
  /** Hears what would be a line on a terminal, where there is no `onNotice`. */
  stderr?: (text: string) => void;
  /** Flags of the command by name, without dashes; null for one without a value. Those that are options here. */
  extraArgs?: Record<string, string | null>;
  /** Without a meaning here, where there is no process: accepted, and told to `onNotice`. */
  executable?: string;
  executableArgs?: string[];
  pathToClaudeCodeExecutable?: string;
  spawnClaudeCodeProcess?: unknown;
  allowDangerouslySkipPermissions?: boolean;
  mcpServersDelivery?: string;
  pluginDelivery?: string;
  onUserDialog?: unknown;
  supportedDialogKinds?: string[];
  perTaskStopAffordance?: boolean;
  agentProgressSummaries?: boolean;
}

/** What agent SDKs call them. One that is undefined is as one that is not there. */
export type Options = { [Name in keyof QueryOptions]: QueryOptions[Name] | undefined };
