/** Where links in folders that steer agents lead: writing to the target is writing to these folders, whatever its name. */
import { basename, join } from "node:path";
import { entriesOf, isFolder, isLink } from "../../lib/path-status.ts";
import { isInside, type PathReader } from "./path-forms.ts";
import { protectionOf, type Protection } from "./protected-paths.ts";

export interface LinkedPlace {
  /** Absolute: the protected folder or something below it. */
  link: string;
  /** The real path the link leads to. */
  target: string;
  /** The length of the protected folder's path. */
  folderLength: number;
}

/** Subfolders whose files steer agents; the rest are records. Writing instructions in these takes a rule or a person. */
const instructionFolders = ["agents", "commands", "output-styles", "rules", "skills"];
const steeringSubfolders = new Set([...instructionFolders, "hooks", "plugins"]);
/** Links below this depth belong to single skills and plugins. */
const maxFolderLinkDepth = 1;
const maxDepth = 4;
const maxEntries = 20_000;

/**
 * Finds such links. `folders`: the user's own, absolute; one with a name other than `.claude` and the like is protected as if it had that
 * name. Nearer entries are read first; `onCut` is called if there are more than `entryLimit`.
 */
export function linkedPlaces(
  folders: readonly string[],
  home: string,
  reader: PathReader,
  onCut: () => void = () => {},
  entryLimit = maxEntries,
): LinkedPlace[] {
  const found: LinkedPlace[] = [];
  let entriesLeft = entryLimit;
  const add = (folder: string, link: string, path = link): void => {
    try {
      found.push({ link, target: reader.realpath(path), folderLength: folder.length });
    } catch {
      // The link leads nowhere, so there is nothing to protect.
    }
  };
  const open: { folder: string; path: string; depth: number }[] = [];
  const visit = ({ folder, path, depth }: (typeof open)[number]): void => {
    for (const entry of entriesOf(path)) {
      if (--entriesLeft < 0) return;
      const child = join(path, entry.name);
      const isSteering = depth > 0 || steeringSubfolders.has(entry.name);
      if (entry.isSymbolicLink() && (!isFolder(child) || (isSteering && depth <= maxFolderLinkDepth)))
        add(folder, child);
      else if (entry.isDirectory() && isSteering && depth < maxDepth)
        open.push({ folder, path: child, depth: depth + 1 });
    }
  };
  for (const folder of folders) {
    const isNamed = [".claude", ".pawl", ".agents"].includes(basename(folder));
    const known = isNamed ? folder : join(home, ".claude");
    if (!isNamed || isLink(folder)) add(known, known, folder);
    open.push({ folder, path: folder, depth: 0 });
  }
  for (const each of open) {
    if (entriesLeft < 0) break;
    visit(each);
  }
  if (entriesLeft < 0) onCut();
  return found;
}

/** The protections of a real path because of links that lead to it. */
export function linkedProtections(path: string, places: readonly LinkedPlace[]): Protection[] {
  const leading = places.filter(({ target }) => isInside(target, path));
  return leading.map(({ link, target, folderLength }) => {
    const through = link + path.slice(target.length);
    const protection = protectionOf(through);
    if (protection === null) return null;
    const [first = ""] = through.slice(folderLength + 1).split("/");
    const isInstruction = instructionFolders.includes(first) || first.endsWith(".md");
    return { level: isInstruction ? "guarded" : protection.level, name: `what ${link} leads to` };
  });
}
