/** The arguments of a run, as parsed from the command line. */
import type { Effort } from "../protocol/model.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { ClientArguments } from "./client-flags.ts";
import type { Rewind } from "./rewind-flags.ts";

export const outputFormats = ["text", "json", "stream-json"] as const;
export const inputFormats = ["text", "stream-json"] as const;
export const thinkingModes = ["adaptive", "disabled"] as const;
export const speeds = ["standard", "fast"] as const;

export interface RunArguments {
  prompt?: string;
  print: boolean;
  outputFormat: (typeof outputFormats)[number];
  inputFormat: (typeof inputFormats)[number];
  includePartialMessages: boolean;
  includeHookEvents: boolean;
  promptSuggestions: boolean;
  verbose: boolean;
  model?: string;
  fallbackModel?: string;
  effort?: Effort;
  thinking?: (typeof thinkingModes)[number];
  maxThinkingTokens?: number;
  speed?: (typeof speeds)[number];
  maxTurns?: number;
  maxBudgetUsd?: number;
  tokenBudget?: number;
  taskBudget?: number;
  /** In tokens. */
  compactWindow?: number;
  permissionMode?: PermissionMode;
  allowedTools: string[];
  disallowedTools: string[];
  /** Undefined: the default set. Empty: none. */
  tools?: string[];
  addDirs: string[];
  pluginDirs: string[];
  /** Plugin folders whose MCP servers are not started. */
  pluginDirsWithoutServers: string[];
  /** Files, or JSON text. */
  mcpConfig: string[];
  strictMcpConfig: boolean;
  systemPrompt?: string;
  systemPromptFile?: string;
  appendSystemPrompt?: string;
  appendSystemPromptFile?: string;
  verbatimPrompts: boolean;
  setup?: "init" | "maintenance" | undefined;
  /** Runs the Setup hooks, and nothing else. */
  initOnly: boolean;
  bare: boolean;
  safeMode: boolean;
  continue: boolean;
  /** A session's id or title; true: ask which. */
  resume?: string | true;
  /** A message's uuid. */
  resumeSessionAt?: string;
  /** The uuid of the only prompt whose turn `resumeSessionAt` may drop. */
  resumeDropsTurn?: string;
  forkSession: boolean;
  /** The session's title. */
  name?: string;
  /** The name of a git work tree to work in; true: a new one. */
  worktree?: string | true;
  sessionId?: string;
  persistSession: boolean;
  /** If set, the run only rewinds files. */
  rewind?: Rewind | undefined;
  /** A file's path, or JSON text. */
  settings?: string;
  trust: boolean;
  screenReader: boolean;
  debugFile?: string;
  client: ClientArguments;
}
