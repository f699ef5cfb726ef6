/** Recognises folders of other people's files, which the model must not obey: what a repository ignores, and unpacked packages. */
import { dirname, join, relative, sep } from "node:path";
import { readRegularFile } from "../lib/regular-file.ts";
import { matchesPath, parsePathPattern } from "../lib/path-pattern.ts";

const vendoredFolders = new Set(["node_modules", ".git", ".hg", ".svn", "bower_components", "site-packages"]);
const maxBytes = 256 * 1024;

/** Whether the folder is ignored. `folder` is below `top`; both absolute. */
export function isIgnoredFolder(folder: string, top: string): boolean {
  const names = relative(top, folder).split(sep);
  if (names.some((name) => vendoredFolders.has(name))) return true;
  let isIgnored = false;
  for (const level of foldersDownTo(top, dirname(folder))) {
    const read = readRegularFile(join(level, ".gitignore"), maxBytes);
    if (!read.ok) continue;
    const path = relative(level, folder).replaceAll(sep, "/");
    for (const line of read.text.split(/\r?\n/u)) {
      const isNegated = line.startsWith("!");
      const pattern = parsePathPattern(isNegated ? line.slice(1) : line, { folds: false });
      if (pattern !== null && matchesPath(pattern, path, true)) isIgnored = !isNegated;
    }
  }
  return isIgnored;
}

/** From the top downward. */
function foldersDownTo(top: string, folder: string): string[] {
  const levels = [folder];
  for (let level = folder; level !== top && dirname(level) !== level;) {
    level = dirname(level);
    levels.unshift(level);
  }
  return levels;
}
