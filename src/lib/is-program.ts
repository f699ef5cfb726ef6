/** Whether a path leads to what this user may run. Shells pass over a folder of that name on their way through PATH, too. */
import { accessSync, constants, statSync } from "node:fs";

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not for us to run.
    return false;
  }
}
