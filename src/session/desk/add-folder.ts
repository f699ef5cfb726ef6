/** Adds a folder to those a session works in, or one inside them that a host treats as a repository of its own. */
import { realpathSync, statSync } from "node:fs";
import { isWithin } from "../../lib/is-within.ts";
import { realPathOf } from "../../lib/path-status.ts";
import { errorCode } from "../../lib/error-text.ts";
import { quoteName } from "../../lib/quote-name.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { resolvePath } from "../../tools/paths.ts";
import type { Joined } from "../joined.ts";

/** Who adds the folder, as hooks are told. */
export type FolderSource = "register_repo_root" | "slash_command";

/** Returns the absolute path. `known`: folders added before. Throws `UsageError`, and then adds nothing. */
export function addFolder(joined: Joined, directory: string, source: FolderSource, known: readonly string[]): string {
  const { around, permissions, occasions } = joined;
  const absolute = resolvePath(directory, around.cwd, around.home);
  const shown = quoteName(directory.slice(0, 200));
  const real = realFolder(absolute, shown);
  const workingFolder = permissions.folders().find((folder) => isWithin(real, realPathOf(folder) ?? folder));
  const isInside = workingFolder !== undefined && (realPathOf(workingFolder) ?? workingFolder) !== real;
  if ((workingFolder !== undefined && !isInside) || known.includes(real))
    throw new UsageError(`${shown} is a working folder already: nothing was added.`);
  const isNew = source === "slash_command";
  if (isNew && isInside)
    throw new UsageError(
      `${shown} is inside the working folder ${quoteName(workingFolder)} already: nothing was added.`,
    );
  if (!isNew && !isInside)
    throw new UsageError(
      `${shown} is not inside a folder that the session works in: name it with --add-dir at the start, or with /add-dir.`,
    );
  const folder = isNew ? absolute : real;
  if (isNew) addWorkingFolder(joined, folder);
  occasions.directoryAdded(folder, source);
  return folder;
}

/** Adds it as if it had been named at the start; agents started from now on have it too. */
function addWorkingFolder(joined: Joined, folder: string): void {
  const { permissions, tools, memory, options } = joined;
  const roots = [...tools.cwd.roots(), folder];
  permissions.addDirectory(folder);
  tools.cwd.roots = () => roots;
  joined.options = { ...options, addDirs: [...(options.addDirs ?? []), folder] };
  memory.noteAddedFolder(folder);
}

function realFolder(path: string, shownPath: string): string {
  if (path.includes("\0")) throw new UsageError("A folder name cannot contain a NUL byte: nothing was added.");
  try {
    if (statSync(path).isDirectory()) return realpathSync(path);
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (code === "ENOENT") throw new UsageError(`There is no folder ${shownPath}: nothing was added.`);
    throw new UsageError(`${shownPath} cannot be accessed (${code}): nothing was added.`);
  }
  throw new UsageError(`${shownPath} is not a folder: nothing was added.`);
}
