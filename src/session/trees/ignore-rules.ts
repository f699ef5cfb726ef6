/** Which folders git ignores. Answers are cached between scans until an ignore file changes. */
import { statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { findRepository } from "../../lib/git-repository.ts";
import { readIgnoreLines, type IgnoreLine } from "../../lib/ignore-lines.ts";
import { matchesNames, pathSegments } from "../../lib/path-pattern.ts";

interface Rules {
  patterns: IgnoreLine[];
  /** Identifies the state of the files. */
  stamp: string;
}

export class IgnoreRules {
  readonly #top: string | undefined;
  readonly #rules = new Map<string, Rules>();
  readonly #answers = new Map<string, boolean>();

  /** `root`: a scanned folder, absolute. If it is in no repository, nothing is ignored. */
  constructor(root: string) {
    this.#top = findRepository(root);
  }

  /** Called before a scan: rules may have changed since the last one. */
  refresh(): void {
    for (const folder of this.#rules.keys()) this.readFolder(folder);
  }

  /** Reads the rules in `folder` unless the cached ones are current. */
  readFolder(folder: string): void {
    const top = this.#top;
    if (top === undefined) return;
    const files =
      folder === top ? [join(top, ".git", "info", "exclude"), join(top, ".gitignore")] : [join(folder, ".gitignore")];
    const stamp = files.map(stampOf).join(" ");
    if (this.#rules.get(folder)?.stamp === stamp) return;
    this.#rules.set(folder, { patterns: files.flatMap(readIgnoreLines), stamp });
    this.#answers.clear();
  }

  /** Expects a folder below the root whose parents are not ignored. */
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
      if (!this.#rules.has(level)) this.readFolder(level);
      const patterns = this.#rules.get(level)?.patterns ?? [];
      if (patterns.length === 0) continue;
      const names = pathSegments(relative(level, folder).replaceAll(sep, "/"), false);
      for (const { pattern, isNegated } of patterns) if (matchesNames(pattern, names, true)) isIgnored = !isNegated;
    }
    return isIgnored;
  }
}

function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "-" : `${stats.ino}.${stats.size}.${stats.mtimeMs}.${stats.ctimeMs}`;
}
