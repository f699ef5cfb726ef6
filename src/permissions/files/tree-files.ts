/** The files that a program comes by below a folder: by the disk, or by what git knows of. */
import { basename, dirname, join, relative } from "node:path";
import { realPathOf, statusOf } from "../../lib/disk-look.ts";
import { linksIn, repositoryAt, trackedIn } from "../git/git-tracked.ts";
import { folderForms, type PathReader } from "../paths/path-forms.ts";
import { firstMet, type Wanted } from "./tree-walk.ts";
import type { Tree } from "./tree.ts";

/** The first that is wanted. `path`: absolute. */
export function firstFile<T>(
  tree: Tree,
  path: string,
  wanted: Wanted<T>,
  reader: PathReader,
  bound: { left: number },
): T | "too many" | undefined {
  const place = realFolder(path, reader);
  // What is no folder is one file.
  if (statusOf(place)?.isFile() === true) return wanted({ path: place, names: [], isPacked: false })("");
  if (tree.git === undefined) return firstMet(tree, place, wanted, reader, bound);
  const repository = repositoryAt(place);
  const tracked = repository === undefined ? undefined : trackedIn(repository);
  // What cannot be told of the index is looked for where it would lie.
  if (repository === undefined || tracked === undefined) return firstMet(tree, place, wanted, reader, bound);
  const top = realFolder(repository.top, reader);
  if (tree.git === "tracked") {
    const within = relative(top, place);
    const found = firstTracked(tracked, tree, top, within, wanted);
    if (found !== undefined || tree.follows === "none") return found;
    const links = linksIn(repository).filter((link) => within === "" || `${link}/`.startsWith(`${within}/`));
    return firstOf(links, (link) => firstLed(tree, place, join(top, link), wanted, reader, bound));
  }
  const known = new Set(tracked.map((name) => `${top}/${name}`));
  const meets: Tree["meets"] = (name, above) =>
    tree.meets(name, above) && !known.has([place, ...above, name].join("/"));
  return firstMet({ ...tree, meets }, place, wanted, reader, bound);
}

function firstOf<T>(links: readonly string[], look: (link: string) => T | undefined): T | undefined {
  for (const link of links) {
    const found = look(link);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where that link leads. */
function firstLed<T>(
  tree: Tree,
  place: string,
  link: string,
  wanted: Wanted<T>,
  reader: PathReader,
  bound: { left: number },
): T | "too many" | undefined {
  const real = realPathOf(link);
  if (real === undefined || !tree.meets(basename(link), [])) return undefined;
  if (statusOf(real)?.isDirectory() !== true)
    return wanted({ path: dirname(link), names: namesBelow(place, dirname(link)), isPacked: false })(
      basename(link),
      real,
    );
  return tree.follows === "all" ? firstMet(tree, real, wanted, reader, bound) : undefined;
}

/** `within`: a folder or a file, below the top. An index lists the files of one folder together. */
function firstTracked<T>(
  tracked: readonly string[],
  { meets }: Tree,
  top: string,
  within: string,
  wanted: Wanted<T>,
): T | undefined {
  let last: string | undefined;
  let look = wanted({ path: join(top, within), names: [], isPacked: false });
  for (const path of tracked) {
    if (path === within) return look("");
    if (within !== "" && !path.startsWith(`${within}/`)) continue;
    const below = within === "" ? path : path.slice(within.length + 1);
    const slash = below.lastIndexOf("/");
    const folder = below.slice(0, Math.max(slash, 0));
    const names = folder === "" ? [] : folder.split("/");
    if (folder !== last) look = wanted({ path: join(top, within, folder), names, isPacked: false });
    last = folder;
    const name = below.slice(slash + 1);
    const found = look(name);
    if (found !== undefined && meets(name, names)) return found;
  }
  return undefined;
}

function namesBelow(place: string, folder: string): string[] {
  const below = relative(place, folder);
  return below === "" ? [] : below.split("/");
}

function realFolder(path: string, reader: PathReader): string {
  return folderForms(path, reader).at(-1) ?? path;
}
