/** Whether an agent works in a place of its own: because its call or definition says so, or because it is resumed and did before. */
import { sep } from "node:path";
import { readAgentFacts } from "../agents/agent-facts.ts";
import type { AgentRun } from "../joined.ts";

export function needsWorktree(
  { id, definition, isResumed, root }: AgentRun,
  requestedIsolation: "worktree" | undefined,
): boolean {
  if ((requestedIsolation ?? definition.isolation) !== undefined) return true;
  return isResumed && readAgentFacts(root, id)?.cwd.split(sep).includes(worktreeName(id)) === true;
}

/** The name of the folder, and the end of the branch's name. */
export const worktreeName = (agentId: string): string => `agent-${agentId}`;
