/** The files that a glob would match, and the links that a program may follow: at least these, or undefined if there are too many. */
import { entriesOf } from "../../lib/path-status.ts";
import { diskPaths, entriesIn, followEntries, type PathReader } from "../paths/path-forms.ts";
import { matchesCommand } from "../rules/command-pattern.ts";

export const maxEntries = 5_000;
const wildcard = /\[.*\]|[*?[]/u;

/** `pattern` is absolute; links in it are not resolved. `reader` caches where the files lead, since that is asked next. */
export function filesMatching(pattern: string, reader: PathReader = diskPaths): string[] | undefined {
  let left = maxEntries;
  let found = [""];
  for (const segment of pattern.split("/").filter((part) => part !== "")) {
    if (!wildcard.test(segment)) {
      found = found.map((folder) => `${folder}/${segment}`);
      continue;
    }
    const pieces = segment.split(new RegExp(wildcard, "gu"));
    const next: string[] = [];
    for (const folder of found) {
      const entries = entriesIn(folder || "/", reader);
      const names = entries.map(({ name }) => name);
      left -= names.length;
      if (left < 0) return undefined;
      followEntries(folder || "/", entries, reader);
      const isNamed = (name: string): boolean =>
        (segment.startsWith(".") || !name.startsWith(".")) && matchesCommand({ pieces, endsAtWord: false }, name);
      next.push(...names.filter(isNamed).map((name) => `${folder}/${name}`));
    }
    found = next;
  }
  return found;
}

/**
 * The links below a folder, and whether a file there has hard links; undefined if there is too much. `budget`: how many entries may be
 * looked at; what was looked at is subtracted.
 */
export function findLinksBelow(
  place: string,
  { hardLinkId }: Pick<PathReader, "hardLinkId">,
  budget = { left: maxEntries },
): { links: string[]; hasHardLinks: boolean } | undefined {
  const links: string[] = [];
  let hasHardLinks = false;
  const open = [place];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entries = entriesOf(folder || "/");
    budget.left -= entries.length;
    if (budget.left < 0) return undefined;
    for (const entry of entries) {
      const path = `${folder}/${entry.name}`;
      if (entry.isSymbolicLink()) links.push(path);
      else if (entry.isDirectory()) open.push(path);
      else hasHardLinks ||= hardLinkId?.(path) !== undefined;
    }
  }
  return { links, hasHardLinks };
}
