/** Whether an agent works in a place of its own: because its call or its definition says so, or because it did before and goes on. */
import { sep } from "node:path";
import { readSession, subagentPath, TranscriptError } from "../../transcript/index.ts";
import type { AgentSeat } from "../joined.ts";

export function worksApart({ id, definition, goesOn, root }: AgentSeat, asked: "worktree" | undefined): boolean {
  if ((asked ?? definition.isolation) !== undefined) return true;
  const { transcript } = root.store;
  if (!goesOn || transcript === null) return false;
  try {
    const { facts } = readSession(subagentPath(transcript.path, id), root.around.machine.files);
    return facts?.cwd.split(sep).includes(placeName(id)) === true;
  } catch (error) {
    // Nothing was kept of it: whoever opens its conversation says so.
    if (error instanceof TranscriptError) return false;
    throw error;
  }
}

/** Of the folder, and the end of the branch's name. */
export const placeName = (agentId: string): string => `agent-${agentId}`;
