import { dirname, isAbsolute } from "node:path";

/** Nearest first, without `path` itself; none of a path that is not absolute. */
export function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path || !isAbsolute(path) ? [] : [folder, ...foldersAbove(folder)];
}
