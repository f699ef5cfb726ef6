/** A folder that a host takes for a repository of its own, below those that a session works in. */
import { realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { UsageError } from "../../lib/usage-error.ts";
import type { Joined } from "../joined.ts";

/** Answers it without a link. `known`: those that were registered before. Throws `UsageError`. */
export function checkedRoot({ options, around }: Joined, directory: string, known: readonly string[]): string {
  const shown = directory.slice(0, 200);
  const given = resolve(around.cwd, directory);
  if (statSync(given, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`${shown} is no folder: nothing was registered.`);
  const root = realpathSync(given);
  const tops = [around.cwd, ...(options.addDirs ?? [])].map((folder) => realpathSync(folder));
  if (tops.includes(root) || known.includes(root))
    throw new UsageError(`${shown} is a working folder already: nothing was registered.`);
  if (!tops.some((top) => root.startsWith(top.endsWith(sep) ? top : top + sep)))
    throw new UsageError(
      `${shown} is not inside a folder that the session works in: name it with --add-dir at the start.`,
    );
  return root;
}
