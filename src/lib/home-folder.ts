/** The user's own folder. */
import { homedir, userInfo } from "node:os";
import { resolve } from "node:path";
import { UsageError } from "./usage-error.ts";

/** What `HOME` names, else what the system knows of this user. Absolute: a folder worked in is nobody's home. Throws `UsageError` where there is none. */
export function homeFolder(env: Readonly<Record<string, string | undefined>>): string {
  const ways = [(): string => env["HOME"] ?? "", homedir, (): string => userInfo().homedir];
  for (const way of ways) {
    const home = homeBy(way);
    if (home !== undefined) return resolve(home);
  }
  throw new UsageError("This user has no home folder: set HOME to a folder of the user's own.");
}

/** `~` and `~/…` spelled out. */
export function withHome(path: string, home: string): string {
  return path.replace(/^~(?=\/|$)/u, () => home);
}

/** `$HOME/…` and `${HOME}/…`, as a shell has them, in place of `~/…`: no folder is called so. */
export function homeVariable(path: string): string | undefined {
  const written = /^(?:\$HOME|\$\{HOME\})(?=\/|$)/u.exec(path)?.[0];
  return written === undefined ? undefined : `~${path.slice(written.length)}`;
}

function homeBy(way: () => string): string | undefined {
  try {
    const home = way();
    return home.trim() === "" ? undefined : home;
  } catch {
    // A user of a container, whom the system has no record of.
    return undefined;
  }
}
