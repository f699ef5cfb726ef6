/** What a project's memory has from outside of the project, by imports and links: it counts once the folder is trusted with that. */
import { dirname, join, relative } from "node:path";
import { isFolder, Spellings } from "../lib/disk-look.ts";
import { cleanMemory } from "./clean-memory.ts";
import { findImports, importedPath } from "./memory-imports.ts";
import { projectCandidates, type MemoryPlaces } from "./memory-files.ts";
import { listRules, readRule, ruleBase } from "./rules.ts";
import { isWithinAny, readText, realOf } from "./scan.ts";

type Places = MemoryPlaces & { claudeHome: string };

const mostFiles = 500;

/** In words. `texts` is given, by path, those of files that import so, and where links lead. */
export function outsideMemory(places: Places, top: string, texts: Map<string, string>): string[] {
  const files = new Map<string, boolean>();
  const links = findFiles(places, top, files, texts);
  const imports = outsideImports(places, top, files, texts);
  return [counted(imports, "import"), counted(links, "link")].filter((each) => each !== "");
}

function counted(number: number, name: string): string {
  if (number === 0) return "";
  return `${number} ${name}${number === 1 ? "" : "s"}${name === "link" ? " to memory" : " from"} outside the project`;
}

/** Those that begin memory, and whether each is a rule. Answers how many links lead out. */
function findFiles(places: Places, top: string, files: Map<string, boolean>, texts: Map<string, string>): number {
  let links = 0;
  const folders = [top, places.claudeHome, places.pawlHome, ...(places.added ?? [])].map(
    (each) => realOf(each) ?? each,
  );
  const lead = (path: string, real: string): false => {
    texts.set(path, real);
    links += 1;
    return false;
  };
  for (const { path, isRules } of projectCandidates(places)) {
    const own = isRules === true ? ruleBase(path) : dirname(path);
    const real = realOf(path);
    const realOwn = realOf(own) ?? own;
    const bounds = [...folders, isRules === true ? join(realOwn, relative(own, path)) : realOwn];
    if (real === undefined) continue;
    if (!isWithinAny(bounds, real)) lead(path, real);
    else if (isRules !== true) files.set(path, false);
    else for (const rule of listRules(path, bounds, [], lead)) files.set(rule, true);
  }
  return links;
}

/** How many, of rules and of what files of the project import as well; what lies outside is not looked into. */
function outsideImports(places: Places, top: string, files: Map<string, boolean>, texts: Map<string, string>): number {
  let count = 0;
  const spellings = new Spellings();
  const bounds = [realOf(top) ?? top];
  // It grows while it is gone through.
  for (const [path, isRule] of files) {
    const read = readText(path, 4 * 1024 * 1024);
    if (!read.ok || !read.text.includes("@")) continue;
    const text = isRule ? readRule(path, read.text, []).text : read.text;
    let isOutside = false;
    for (const written of findImports(cleanMemory(text).text)) {
      const target = importedPath(written, path, places.home, spellings);
      const real = realOf(target);
      // A folder is no import: `import x from "@/lib"` names a file of the project.
      if (real === undefined || isFolder(real)) continue;
      if (!isWithinAny(bounds, real)) {
        isOutside = true;
        count += 1;
      } else if (files.size < mostFiles && !files.has(target)) files.set(target, false);
    }
    if (isOutside) texts.set(path, text);
  }
  return count;
}
