/** What the model is given to know that people wrote in files: who wrote it, what it says, what was wrong with it. */
import type { Effort } from "./model.ts";
import type { PermissionMode } from "./permission.ts";

/** `managed`: an administrator's. `flag`: from the command line or the program that holds the session. */
export type KnowledgeSource = "managed" | "flag" | "project" | "user" | "plugin" | "built-in";

/** Something in a file that was left out or read otherwise than it was meant. */
export interface KnowledgeProblem {
  /** Absolute. */
  path: string;
  /** From 1; absent where it is the file as a whole. */
  line?: number;
  /** One clause, without a full stop. */
  reason: string;
}

/** An agent that a call of the Agent tool, or a session as a whole, can be given. */
export interface AgentDefinition {
  /** What it is called by; of a plugin `plugin:name`. */
  name: string;
  /** When to use it, for the model. */
  description: string;
  /** Its system prompt. */
  prompt: string;
  /** Names and rules such as `Agent(reviewer)`; absent: all there are. */
  tools?: string[];
  disallowedTools?: string[];
  /** An alias, an id, or `inherit`. */
  model?: string;
  /** A wish: whoever runs it never grants more than its parent has. */
  permissionMode?: PermissionMode;
  maxTurns?: number;
  /** Names of skills it begins with. */
  skills?: string[];
  /** Names of configured servers, or servers of its own by name. */
  mcpServers?: (string | Record<string, unknown>)[];
  /** In the shape of settings. */
  hooks?: unknown;
  memory?: "user" | "project" | "local";
  background?: boolean;
  effort?: Effort;
  isolation?: "worktree";
  color?: string;
  /** What it is told first where it is the session's own agent. */
  initialPrompt?: string;
  source: KnowledgeSource;
  /** Absolute; absent where it stands in no file. */
  path?: string;
  /** Fields it had that take trust, and were left out. */
  withheld?: string[];
}
