/** The last lines of a run, and of every failure: which session it was, where it is kept, how to go on. */
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import type { Engine } from "../engine-port.ts";

export interface WorkPlace {
  /** The name of the work tree that the session works in. */
  worktree?: string | undefined;
}

/** Characters. */
const longestGoal = 200;

/** Lines without line ends; none of a session nobody spoke in. `print` makes the command one for `-p`. */
export function farewell(
  engine: Pick<Engine, "desk" | "getSessionId" | "getTranscriptPath" | "getMessages">,
  print: boolean,
  { worktree }: WorkPlace = {},
): string[] {
  if (engine.getMessages().length === 0) return [];
  const id = sanitize(engine.getSessionId());
  const path = engine.getTranscriptPath();
  const set = engine.desk.goal();
  const goal = set === null ? [] : [`the goal stays set: ${oneLine(set.condition, longestGoal)}`];
  if (path === undefined) return [...goal, `session ${id} was not kept`];
  const pawl = worktree === undefined ? "pawl" : `pawl --worktree ${worktree}`;
  const command = print ? `${pawl} -p --resume ${id} "…"` : `${pawl} --resume ${id}`;
  return [...goal, `session ${id}, kept in ${sanitize(path)}`, `resume with: ${command}`];
}
