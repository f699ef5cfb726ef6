/** Whether this user may execute a path. Shells also skip folders when they search the PATH. */
import { accessSync, constants, statSync } from "node:fs";

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Missing, or not executable by this user.
    return false;
  }
}
