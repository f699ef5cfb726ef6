/** The folders around a path, from the inside out. */
import { dirname, isAbsolute } from "node:path";

/** The folders above `path`, nearest first; empty if `path` is not absolute. */
export function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path || !isAbsolute(path) ? [] : [folder, ...foldersAbove(folder)];
}

/** `folder` and the folders above it up to `top`, or up to the root if `top` is not among them. Absolute. */
export function foldersUpTo(folder: string, top: string): string[] {
  const folders = [folder, ...foldersAbove(folder)];
  const at = folders.indexOf(top);
  return at < 0 ? folders : folders.slice(0, at + 1);
}
