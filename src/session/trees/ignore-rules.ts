/** Which folders git ignores. Answers are kept from one look to the next, until a file of rules changes. */
import { statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { ignoreLinesIn, type IgnoreLine } from "../../lib/ignore-lines.ts";
import { matchesNames, namesIn } from "../../lib/path-pattern.ts";
import { isPlanted } from "../../lib/planted.ts";

interface Rules {
  patterns: IgnoreLine[];
  /** Tells one state of the file from another. */
  stamp: string;
}

const maxParents = 60;

export class IgnoreRules {
  readonly #top: string | undefined;
  readonly #rules = new Map<string, Rules>();
  readonly #answers = new Map<string, boolean>();

  /** `root`: a folder that is looked at, absolute. Where it is in no repository nothing is ignored. */
  constructor(root: string) {
    this.#top = topOf(root);
  }

  /** Before a look: rules may have changed since the last one. */
  refresh(): void {
    for (const folder of this.#rules.keys()) this.see(folder);
  }

  /** Reads the rules in `folder`, where they are not known as they are. */
  see(folder: string): void {
    const top = this.#top;
    if (top === undefined) return;
    const files =
      folder === top ? [join(top, ".git", "info", "exclude"), join(top, ".gitignore")] : [join(folder, ".gitignore")];
    const stamp = files.map(stampOf).join(" ");
    if (this.#rules.get(folder)?.stamp === stamp) return;
    this.#rules.set(folder, { patterns: files.flatMap(ignoreLinesIn), stamp });
    this.#answers.clear();
  }

  /** A folder below the root, those above it not being ignored themselves. */
  isIgnored(folder: string): boolean {
    const top = this.#top;
    if (top === undefined) return false;
    const known = this.#answers.get(folder);
    if (known !== undefined) return known;
    const answer = this.#judge(folder, top);
    this.#answers.set(folder, answer);
    return answer;
  }

  #judge(folder: string, top: string): boolean {
    const levels: string[] = [];
    for (let level = dirname(folder); ; level = dirname(level)) {
      levels.unshift(level);
      if (level === top || dirname(level) === level) break;
    }
    let isIgnored = false;
    for (const level of levels) {
      if (!this.#rules.has(level)) this.see(level);
      const patterns = this.#rules.get(level)?.patterns ?? [];
      if (patterns.length === 0) continue;
      const names = namesIn(relative(level, folder).replaceAll(sep, "/"), false);
      for (const { pattern, isNegated } of patterns) if (matchesNames(pattern, names, true)) isIgnored = !isNegated;
    }
    return isIgnored;
  }
}

/** The folder that holds `.git`, but for one that somebody else put into a shared folder. */
function topOf(root: string): string | undefined {
  let folder = root;
  for (let step = 0; step < maxParents; step++) {
    const path = join(folder, ".git");
    if (statSync(path, { throwIfNoEntry: false }) !== undefined && !isPlanted(path, folder, root)) return folder;
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return undefined;
}

function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "-" : `${stats.ino}.${stats.size}.${stats.mtimeMs}.${stats.ctimeMs}`;
}
