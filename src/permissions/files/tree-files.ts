/** The files that a program reaches below a folder: from the disk, or from git's index. */
import { basename, dirname, join, relative } from "node:path";
import { realPathOf, statusOf } from "../../lib/path-status.ts";
import { trackedLinksIn, repositoryAt, trackedIn, trackedNamesIn } from "../git/git-tracked.ts";
import { folderForms, type PathReader } from "../paths/path-forms.ts";
import { findFirstReached, type FolderVisitor } from "./tree-walk.ts";
import type { Tree } from "./tree.ts";

/** Returns the first result for a wanted file. `path` is absolute. */
export function findFirstFile<T>(
  tree: Tree,
  path: string,
  visitor: FolderVisitor<T>,
  reader: PathReader,
  budget: { left: number },
): T | "too many" | undefined {
  const place = realFolder(path, reader);
  // A place that is not a folder is a single file.
  if (statusOf(place)?.isFile() === true) return visitor({ path: place, names: [], isThirdParty: false })("");
  if (tree.git === undefined) return findFirstReached(tree, place, visitor, reader, budget);
  const repository = repositoryAt(place);
  const tracked = repository === undefined ? undefined : trackedIn(repository);
  // If the index cannot be read, the disk is searched.
  if (repository === undefined || tracked === undefined) return findFirstReached(tree, place, visitor, reader, budget);
  const top = realFolder(repository.top, reader);
  if (tree.git === "tracked") {
    const within = relative(top, place);
    const found = findFirstTracked(tracked, tree, top, within, visitor);
    if (found !== undefined || tree.follows === "none") return found;
    const links = trackedLinksIn(repository)
      .filter((link) => within === "" || `${link}/`.startsWith(`${within}/`))
      .map((link) => join(top, link));
    return findFirstLinked(tree, place, links, visitor, reader, budget);
  }
  const known = trackedNamesIn(repository);
  const within = relative(top, place);
  const start = within === "" ? [] : [within];
  const reaches: Tree["reaches"] = (name, above) =>
    tree.reaches(name, above) && !known.has([...start, ...above, name].join("/"));
  return findFirstReached({ ...tree, reaches }, place, visitor, reader, budget);
}

/** Checks the targets of these links. */
function findFirstLinked<T>(
  tree: Tree,
  place: string,
  links: readonly string[],
  visitor: FolderVisitor<T>,
  reader: PathReader,
  budget: { left: number },
): T | "too many" | undefined {
  for (const link of links) {
    const real = realPathOf(link);
    const [name, folder] = [basename(link), dirname(link)];
    const names = relative(place, folder)
      .split("/")
      .filter((part) => part !== "");
    if (real === undefined || !tree.reaches(name, names)) continue;
    const isFolder = statusOf(real)?.isDirectory() === true;
    if (isFolder && tree.follows !== "all") continue;
    const found = isFolder
      ? findFirstReached(tree, real, visitor, reader, budget)
      : visitor({ path: folder, names, isThirdParty: false })(name, real);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `within`: a folder or a file below the top. An index lists the files of a folder together. */
function findFirstTracked<T>(
  tracked: readonly string[],
  { reaches }: Tree,
  top: string,
  within: string,
  visitor: FolderVisitor<T>,
): T | undefined {
  let last: string | undefined;
  let look = visitor({ path: join(top, within), names: [], isThirdParty: false });
  for (const path of tracked) {
    if (path === within) return look("");
    if (within !== "" && !path.startsWith(`${within}/`)) continue;
    const below = within === "" ? path : path.slice(within.length + 1);
    const slash = below.lastIndexOf("/");
    const folder = below.slice(0, Math.max(slash, 0));
    const names = folder === "" ? [] : folder.split("/");
    if (folder !== last) look = visitor({ path: join(top, within, folder), names, isThirdParty: false });
    last = folder;
    const name = below.slice(slash + 1);
    const found = look(name);
    if (found !== undefined && reaches(name, names)) return found;
  }
  return undefined;
}

function realFolder(path: string, reader: PathReader): string {
  return folderForms(path, reader).at(-1) ?? path;
}
