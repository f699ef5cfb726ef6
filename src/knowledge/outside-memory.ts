/** Memory that a project takes from outside the project, through imports and links: it counts only if the folder is trusted with it. */
import { dirname, join, relative } from "node:path";
import { isFolder, DiskSpellings } from "../lib/path-status.ts";
import { cleanMemory } from "./clean-memory.ts";
import { findImports, importedPath } from "./memory-imports.ts";
import { projectCandidates, type MemoryPlaces } from "./memory-files.ts";
import { listRules, readRule, ruleBaseFolder } from "./rules.ts";
import { isWithinAny, readText, realOf } from "./scan.ts";

type Places = MemoryPlaces & { claudeHome: string };

const maxFiles = 500;

/** Describes it in words. Adds to `texts`, by path, the files with such imports, and the targets of links. */
export function describeOutsideMemory(places: Places, top: string, texts: Map<string, string>): string[] {
  const files = new Map<string, boolean>();
  const links = collectMemoryFiles(places, top, files, texts);
  const imports = countOutsideImports(places, top, files, texts);
  return [describeCount(imports, "import"), describeCount(links, "link")].filter((each) => each !== "");
}

function describeCount(number: number, name: string): string {
  if (number === 0) return "";
  return `${number} ${name}${number === 1 ? "" : "s"}${name === "link" ? " to memory" : " from"} outside the project`;
}

/** Collects the files where memory begins, and whether each is a rule. Returns how many links lead outside. */
function collectMemoryFiles(
  places: Places,
  top: string,
  files: Map<string, boolean>,
  texts: Map<string, string>,
): number {
  let links = 0;
  const folders = [top, places.claudeHome, places.pawlHome, ...(places.addedFolders ?? [])].map(
    (each) => realOf(each) ?? each,
  );
  const noteOutsideLink = (path: string, real: string): false => {
    texts.set(path, real);
    links += 1;
    return false;
  };
  for (const { path, isRules } of projectCandidates(places)) {
    const own = isRules === true ? ruleBaseFolder(path) : dirname(path);
    const real = realOf(path);
    const realOwn = realOf(own) ?? own;
    const bounds = [...folders, isRules === true ? join(realOwn, relative(own, path)) : realOwn];
    if (real === undefined) continue;
    if (!isWithinAny(bounds, real)) noteOutsideLink(path, real);
    else if (isRules !== true) files.set(path, false);
    else for (const rule of listRules(path, bounds, [], noteOutsideLink)) files.set(rule, true);
  }
  return links;
}

/** Counts imports from outside, also in files that the project's files import. Files outside are not searched. */
function countOutsideImports(
  places: Places,
  top: string,
  files: Map<string, boolean>,
  texts: Map<string, string>,
): number {
  let count = 0;
  const spellings = new DiskSpellings();
  const bounds = [realOf(top) ?? top];
  // `files` grows during the loop.
  for (const [path, isRule] of files) {
    const read = readText(path, 4 * 1024 * 1024);
    if (!read.ok || !read.text.includes("@")) continue;
    const text = isRule ? readRule(path, read.text, []).text : read.text;
    let isOutside = false;
    for (const written of findImports(cleanMemory(text).text)) {
      const target = importedPath(written, path, places.home, spellings);
      const real = realOf(target);
      // A folder is not an import: `import x from "@/lib"` refers to the project's code.
      if (real === undefined || isFolder(real)) continue;
      if (!isWithinAny(bounds, real)) {
        isOutside = true;
        count += 1;
      } else if (files.size < maxFiles && !files.has(target)) files.set(target, false);
    }
    if (isOutside) texts.set(path, text);
  }
  return count;
}
