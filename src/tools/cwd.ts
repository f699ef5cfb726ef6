/** The shell's working directory, which outlives a command but not the folders the session may work in. */
import { realpath } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";
import { isUtf8 } from "node:buffer";

export interface Cwd {
  /** Absolute. */
  get(): string;
  set(directory: string): void;
  /** Folders the session works in, absolute; the first is where a reset goes. */
  roots(): readonly string[];
  /** False in a subagent: each command starts where the session does. */
  readonly carriesOver: boolean;
}

export function createCwd(start: string, roots: () => readonly string[] = () => [start], carriesOver = true): Cwd {
  let current = start;
  return {
    get: () => current,
    set: (directory) => {
      current = directory;
    },
    roots,
    carriesOver,
  };
}

/** Whether `path` is `folder` or below it, by segments. Both absolute and resolved. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

async function isAllowed(directory: string, roots: readonly string[]): Promise<boolean> {
  const real = await realpath(directory).catch(() => undefined);
  if (real === undefined) return false;
  for (const root of roots) {
    const realRoot = await realpath(root).catch(() => undefined);
    if (realRoot !== undefined && isWithin(real, realRoot)) return true;
  }
  return false;
}

/**
 * Takes over where a command ended. `reported` is the shell's `$PWD` as bytes, undefined where it could not say.
 * Returns the line the model is shown when the directory was put back.
 */
export async function settleCwd(cwd: Cwd, started: string, reported: Buffer | undefined): Promise<string | undefined> {
  if (reported === undefined) return undefined;
  const directory = isUtf8(reported) ? reported.toString() : undefined;
  if (directory === started) return undefined;
  const roots = cwd.roots();
  if (directory !== undefined && cwd.carriesOver && (await isAllowed(directory, roots))) {
    cwd.set(directory);
    return undefined;
  }
  const back = cwd.carriesOver ? (roots[0] ?? started) : started;
  cwd.set(back);
  return `Shell cwd was reset to ${back}`;
}
