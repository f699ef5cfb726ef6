/** Agents a session may start: what one is told and may use. Wherever definitions come from, none gives more rights than its parent has. */
import type { Effort } from "./model.ts";
import type { PermissionMode } from "./permission.ts";

export interface AgentDefinition {
  /** When to use it, for the model that delegates. */
  description: string;
  /** Its system prompt. */
  prompt: string;
  /** What the user says first where it leads the session. */
  initialPrompt?: string | undefined;
  /** Names of tools it gets; absent: all that its parent has. Rules of permission still hold for each. */
  tools?: readonly string[] | undefined;
  disallowedTools?: readonly string[] | undefined;
  /** Id or alias; `inherit` and absent: its parent's. */
  model?: string | undefined;
  effort?: Effort | undefined;
  /** As far as its parent's mode goes, and never further. */
  permissionMode?: PermissionMode | undefined;
  /** Model responses of one run. */
  maxTurns?: number | undefined;
  /** Runs in the background unless the call says otherwise. */
  background?: boolean | undefined;
  /** `worktree`: works in a git worktree of its own. */
  isolation?: "worktree" | undefined;
  /** Skills whose text it begins with. */
  skills?: readonly string[] | undefined;
  /** Names of servers the session has, whose tools it gets whatever `tools` says; or servers of its own by name, as in settings. */
  mcpServers?: readonly (string | Readonly<Record<string, unknown>>)[] | undefined;
  /** In the shape of settings: they run while it does. */
  hooks?: unknown;
  /** Notes of its own, kept from one run to the next: for all projects, for everybody in this one, or for this user in it. */
  memory?: "user" | "project" | "local" | undefined;
  /** Knows neither memory files nor git's state: for those that only look. */
  bare?: boolean | undefined;
}

/** A definition with its name and its place, for lists and for messages about it. */
export interface NamedAgent extends AgentDefinition {
  /** Mostly lower case and hyphens, but some are called by several words; of a plugin `plugin:name`. */
  name: string;
  source: "built-in" | "option" | "policy" | "project" | "user" | "plugin";
  /** Absolute; absent where it is from no file. */
  path?: string;
  /** Why it is not started: what its file says of a restriction cannot be understood. A clause with file and line. */
  unfit?: string;
}
