/** The last lines of a run or a failure: the session's id, its transcript file, and how to resume it. */
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import type { Engine } from "../engine-port.ts";

export interface WorktreeOption {
  /** The name of the session's git work tree. */
  worktree?: string | undefined;
}

/** In characters. */
const maxGoalLength = 200;

/** Returns lines without line ends; none for a session without messages. `isPrint`: show the resume command with `-p`. */
export function farewellLines(
  engine: Pick<Engine, "desk" | "getSessionId" | "getTranscriptPath" | "getMessages">,
  isPrint: boolean,
  { worktree }: WorktreeOption = {},
): string[] {
  if (engine.getMessages().length === 0) return [];
  const id = sanitize(engine.getSessionId());
  const path = engine.getTranscriptPath();
  const set = engine.desk.goal();
  const goal = set === null ? [] : [`the goal stays set: ${oneLine(set.condition, maxGoalLength)}`];
  if (path === undefined) return [...goal, `session ${id} was not kept`];
  const pawl = worktree === undefined ? "pawl" : `pawl --worktree ${worktree}`;
  const command = isPrint ? `${pawl} -p --resume ${id} "…"` : `${pawl} --resume ${id}`;
  return [...goal, `session ${id}, kept in ${sanitize(path)}`, `resume with: ${command}`];
}
