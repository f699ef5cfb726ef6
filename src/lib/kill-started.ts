/** Kills a child. One that could not be started has no pid, and Node.js would signal whatever its uninitialised memory holds. */
import type { ChildProcess } from "node:child_process";

export function killStarted(child: ChildProcess): void {
  if (child.pid !== undefined) child.kill("SIGKILL");
}
