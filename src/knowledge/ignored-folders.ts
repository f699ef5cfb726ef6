/** Recognises folders of other people's files, which the model must not obey: what a repository ignores, and unpacked packages. */
import { dirname, join, relative, sep } from "node:path";
import { foldersUpTo } from "../lib/folders-above.ts";
import { readIgnoreLines } from "../lib/ignore-lines.ts";
import { matchesPath } from "../lib/path-pattern.ts";

const vendoredFolders = new Set(["node_modules", ".git", ".hg", ".svn", "bower_components", "site-packages"]);

/** Whether the folder is ignored. `folder` is below `top`; both absolute. */
export function isIgnoredFolder(folder: string, top: string): boolean {
  const names = relative(top, folder).split(sep);
  if (names.some((name) => vendoredFolders.has(name))) return true;
  let isIgnored = false;
  for (const level of foldersUpTo(dirname(folder), top).toReversed()) {
    const path = relative(level, folder).replaceAll(sep, "/");
    for (const { pattern, isNegated } of readIgnoreLines(join(level, ".gitignore")))
      if (matchesPath(pattern, path, true)) isIgnored = !isNegated;
  }
  return isIgnored;
}
