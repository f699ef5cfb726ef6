/** A child that could not be started has no number yet, and Node would signal whichever stands in the memory it has for one. */
import type { ChildProcess } from "node:child_process";

export function killStarted(child: ChildProcess): void {
  if (child.pid !== undefined) child.kill("SIGKILL");
}
