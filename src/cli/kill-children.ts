/** For the last moment of the process: nothing it started may outlive it, however it asks not to be ended. */
import { readdirSync, readFileSync } from "node:fs";

/**
 * KILL to every child and to the process groups they lead. Synchronous. Only where the system lists children (Linux);
 * elsewhere the session's own closing is all there is.
 */
export function killChildren(): void {
  for (const pid of children()) {
    for (const target of [-pid, pid]) {
      try {
        process.kill(target, "SIGKILL");
      } catch (error) {
        // It has gone meanwhile, or leads no group.
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    }
  }
}

function children(): number[] {
  try {
    const lists = readdirSync("/proc/self/task").map((task) =>
      readFileSync(`/proc/self/task/${task}/children`, "latin1"),
    );
    return lists.join(" ").split(/\s+/u).filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
