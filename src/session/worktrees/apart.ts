/** Whether an agent works in a place of its own: because its call or definition says so, or because it is resumed and did before. */
import { sep } from "node:path";
import { keptFacts } from "../agents/kept-facts.ts";
import type { AgentSeat } from "../joined.ts";

export function worksApart({ id, definition, goesOn, root }: AgentSeat, asked: "worktree" | undefined): boolean {
  if ((asked ?? definition.isolation) !== undefined) return true;
  return goesOn && keptFacts(root, id)?.cwd.split(sep).includes(placeName(id)) === true;
}

/** The name of the folder, and the end of the branch's name. */
export const placeName = (agentId: string): string => `agent-${agentId}`;
