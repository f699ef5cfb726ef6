/** Agents that a session may start. No definition, whatever its source, gives an agent more rights than its parent has. */
import type { Effort } from "./model.ts";
import type { PermissionMode } from "./permission.ts";

export interface AgentDefinition {
  /** When to use the agent, for the model that delegates. */
  description: string;
  /** The agent's system prompt. */
  prompt: string;
  /** The first user message if this agent runs as the session's main agent. */
  initialPrompt?: string | undefined;
  /** Names of the tools the agent gets; absent: all that its parent has. Permission rules still apply to each. */
  tools?: readonly string[] | undefined;
  disallowedTools?: readonly string[] | undefined;
  /** Id or alias. `inherit` or absent: the parent's model. */
  model?: string | undefined;
  effort?: Effort | undefined;
  /** Takes effect only as far as the parent's mode goes, never further. */
  permissionMode?: PermissionMode | undefined;
  /** The most model responses in one run. */
  maxTurns?: number | undefined;
  /** Runs in the background unless the call says otherwise. */
  background?: boolean | undefined;
  /** `worktree`: the agent works in a git worktree of its own. */
  isolation?: "worktree" | undefined;
  /** Skills whose text is loaded at the start. */
  skills?: readonly string[] | undefined;
  /** Names of the session's servers, whose tools the agent gets whatever `tools` says; or its own servers by name, in settings format. */
  mcpServers?: readonly (string | Readonly<Record<string, unknown>>)[] | undefined;
  /** In settings format. The hooks are active while the agent runs. */
  hooks?: unknown;
  /** Where the agent keeps notes between runs: for all projects, for everybody in this project, or for this user in this project. */
  memory?: "user" | "project" | "local" | undefined;
  /** The agent gets neither memory files nor git status: for agents that only look. */
  bare?: boolean | undefined;
}

/** A definition with its name and source, for lists and for messages about it. */
export interface NamedAgent extends AgentDefinition {
  /** Usually lower case with hyphens, but some names have several words. A plugin's agent is `plugin:name`. */
  name: string;
  source: "built-in" | "option" | "policy" | "project" | "user" | "plugin";
  /** Absolute; absent if the definition does not come from a file. */
  path?: string;
  /** Why the agent is not started: a restriction in its file cannot be understood. One clause, with file and line. */
  unfit?: string;
}
