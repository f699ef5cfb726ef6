/** The user's home folder. */
import { homedir, userInfo } from "node:os";
import { resolve } from "node:path";
import type { Environment } from "./environment.ts";
import { UsageError } from "./usage-error.ts";

/** `HOME`, or if it is blank, the home that the system knows for this user. Absolute. Throws `UsageError` if there is neither. */
export function homeFolder(env: Environment): string {
  const sources = [(): string => env["HOME"] ?? "", homedir, (): string => userInfo().homedir];
  for (const source of sources) {
    const home = homeFrom(source);
    if (home !== undefined) return resolve(home);
  }
  throw new UsageError("This user has no home folder: set HOME to a folder of the user's own.");
}

/** Expands `~` and `~/…`. */
export function expandHome(path: string, home: string): string {
  return path.replace(/^~(?=\/|$)/u, () => home);
}

/** Returns `$HOME/…` or `${HOME}/…` as `~/…`: no folder has such a name. Undefined for any other path. */
export function homeVariableToTilde(path: string): string | undefined {
  const written = /^(?:\$HOME|\$\{HOME\})(?=\/|$)/u.exec(path)?.[0];
  return written === undefined ? undefined : `~${path.slice(written.length)}`;
}

function homeFrom(source: () => string): string | undefined {
  try {
    const home = source();
    return home.trim() === "" ? undefined : home;
  } catch {
    // A user in a container whom the system does not know.
    return undefined;
  }
}
