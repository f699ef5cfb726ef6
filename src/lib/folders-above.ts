import { dirname, isAbsolute } from "node:path";

/** The folders above `path`, nearest first; empty if `path` is not absolute. */
export function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path || !isAbsolute(path) ? [] : [folder, ...foldersAbove(folder)];
}
