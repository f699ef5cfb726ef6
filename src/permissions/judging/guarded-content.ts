/** Decides whether read rules may guard files whose content git shows without naming them. */
import { resolve } from "node:path";
import type { ShownContent } from "../git/git-content.ts";
import { repositoryAt } from "../git/git-tracked.ts";
import type { Law } from "./law.ts";
import { mayOverlapFolders } from "../files/unnamed-files.ts";
import { folderForms, isFolder, isThere } from "../paths/path-forms.ts";

/** Whether the command may show a file that a read rule guards and no word of the command names. */
export function mayShowGuardedFile(
  { files, paths, revisionsOrPaths, traced, isOfIndex }: ShownContent,
  start: string,
  law: Law,
): boolean {
  // These are checked elsewhere, among the files that git tracks.
  if (isOfIndex) return false;
  if (!hasGuardedFiles(repositoryAt(start)?.top ?? start, law)) return false;
  const kind = (name: string): "file" | "folder" | "none" => pathKind(resolve(start, name), law);
  const found = revisionsOrPaths.filter((name) => kind(name) !== "none");
  const namedPaths = [...paths, ...found, ...traced];
  if (namedPaths.length === 0) return files.length === 0 || revisionsOrPaths.length > 0;
  return namedPaths.some((name) => kind(name) !== "file");
}

/** Whether some read rule guards files here; rules whose files all lie elsewhere do not. */
function hasGuardedFiles(top: string, law: Law): boolean {
  const tops = folderForms(top, law.reader);
  return [...law.deny, ...law.ask].some(({ specifiers }) =>
    specifiers.some(
      (specifier) =>
        specifier.kind === "path" && specifier.access === "read" && mayOverlapFolders(specifier.path, tops, law.reader),
    ),
  );
}

function pathKind(path: string, { reader }: Law): "file" | "folder" | "none" {
  if (!isThere(path, reader)) return "none";
  return isFolder(path, reader) ? "folder" : "file";
}
