/** The last lines of a run or a failure: what ends with the session in the background, the session's id, its transcript file, and how to resume it. */
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import type { SDKBackgroundTask } from "../../protocol/sdk-control.ts";
import type { Engine } from "../engine-port.ts";

export interface WorktreeOption {
  /** The name of the session's git work tree. */
  worktree?: string | undefined;
}

/** In characters. */
const maxGoalLength = 200;
const maxDescriptionLength = 60;
const maxTasks = 3;

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
  const before = [...(isPrint ? [] : endedTaskLines(engine.desk.tasks())), ...goal];
  if (path === undefined) return [...before, `session ${id} was not kept`];
  const pawl = worktree === undefined ? "pawl" : `pawl --worktree ${worktree}`;
  const command = isPrint ? `${pawl} -p --resume ${id} "…"` : `${pawl} --resume ${id}`;
  return [...before, `session ${id}, kept in ${sanitize(path)}`, `resume with: ${command}`];
}

/** Returns a line about the background tasks that the end of the session ends. */
function endedTaskLines(tasks: readonly SDKBackgroundTask[]): string[] {
  const running = tasks.filter(({ status }) => status === "running");
  if (running.length === 0) return [];
  const shown = running.slice(0, maxTasks).map(({ task_type: type, description }) => {
    return `${type === "shell" ? "command" : "agent"} "${oneLine(description, maxDescriptionLength)}"`;
  });
  const more = running.length > maxTasks ? ` and ${running.length - maxTasks} more` : "";
  return [`ended with the session: ${shown.join(", ")}${more}`];
}
