/** Options as agent SDKs name and shape them, so that a program written for one can pass pawl the same options. */
import type { McpServerProvenance } from "../../protocol/mcp.ts";
import type { HookEvent } from "../../protocol/hook.ts";
import type { PermissionRuleValue, PermissionUpdate } from "../../protocol/permission.ts";
import type { EngineOptions, HookCallbackMatcher, HookCallbackOutput } from "./options.ts";
import type { HookCallbackInput } from "./hook-inputs.ts";

interface PermissionResultBase {
  toolUseID?: string | undefined;
  /** How a person decided. Has no effect here: nothing is reported about it. */
  decisionClassification?: "user_temporary" | "user_permanent" | "user_reject" | undefined;
}

/** The answer to a permission question. */
export type PermissionResult =
  | (PermissionResultBase & {
      behavior: "allow";
      updatedInput?: Record<string, unknown> | undefined;
      updatedPermissions?: PermissionUpdate[] | undefined;
    })
  | (PermissionResultBase & { behavior: "deny"; message: string; interrupt?: boolean | undefined });

export interface CanUseToolContext {
  signal: AbortSignal;
  /** Updates that would make the next question of this kind unnecessary, for `updatedPermissions`. */
  suggestions?: PermissionUpdate[];
  /** The file that permission is asked for. */
  blockedPath?: string;
  decisionReason?: string;
  /** A ready-made question. Never set here: write one from the name of the tool and its input. */
  title?: string;
  displayName?: string;
  description?: string;
  /** Never set here. */
  defaultToNo?: boolean;
  /** Never set here: where no rule can be added, there are no `suggestions`. */
  suppressAlwaysAllowRule?: boolean;
  toolUseID: string;
  /** The agent that makes the call, if an agent of the session does. */
  agentID?: string;
  requestId: string;
  matchedAskRule?: PermissionRuleValue & { source: string };
  /** The MCP server the tool belongs to, if any. Decide by this rather than by the tool's name. */
  mcpServer?: McpServerProvenance;
}

/** Called when no rule decides. Throwing or returning null refuses the call. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  context: CanUseToolContext,
) => Promise<PermissionResult | null>;

/** Answers in the public convention's JSON. `toolUseID` is set if a tool is called. */
export type HookCallback = (
  input: HookCallbackInput,
  toolUseID: string | undefined,
  context: { signal: AbortSignal },
) => Promise<HookCallbackOutput>;

export interface HookCallbacks {
  /** Tool name, list or expression; absent: matches all. */
  matcher?: string | undefined;
  hooks: HookCallback[];
  /** Seconds. */
  timeout?: number | undefined;
  onFailure?: "continue" | "block" | undefined;
  /** Fields of the other shape. */
  callback?: never;
  timeoutMs?: never;
}

export type SystemPromptOption =
  | string
  /** Blocks; those after a `SYSTEM_PROMPT_DYNAMIC_BOUNDARY` are specific to this session. */
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
  /** `none`: nobody is asked, and calls that need permission are refused. Default `host`. */
  permissionPrompts?: "host" | "none";
  /** Read instead of the process's environment. */
  env?: Record<string, string | undefined>;
  hooks?: Partial<Record<HookEvent, (HookCallbackMatcher | HookCallbacks)[]>>;
  /** Default: pawl's own. */
  systemPrompt?: SystemPromptOption;
  /** Built-in tools on offer. Absent or the preset: the default set. Empty: none. */
  tools?: string[] | { type: "preset"; preset: "claude_code" };
  /** A settings file's path, JSON text, or the settings themselves. */
  settings?: string | object;
  /** Gets one line at a time, for a log; `true` sends them to `stderr`. */
  debug?: boolean | ((line: string) => void);
  /** Each line of `debug` is appended to this file. */
  debugFile?: string;
  /** Gets what would be a line on a terminal, if there is no `onNotice`. */
  stderr?: (text: string) => void;
  /** Command-line flags by name, without dashes; null for a flag without a value. Only flags that are options here. */
  extraArgs?: Record<string, string | null>;
  /** Without a meaning here, as there is no process: accepted, and reported to `onNotice`. */
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

/** The options under their name in agent SDKs. An option set to undefined counts as absent. */
export type Options = { [Name in keyof QueryOptions]: QueryOptions[Name] | undefined };
