/** Files that hooks of `FileChanged` name: looked at between two turns, and not watched by anything meanwhile. */
import { statSync } from "node:fs";
import { resolve } from "node:path";

export interface FileChange {
  path: string;
  event: "change" | "add" | "unlink";
}

const mostFiles = 200;

export class WatchedFiles {
  readonly #cwd: string;
  /** By path: as it was last seen. Empty: it was not there. */
  #stamps = new Map<string, string>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** As they are now: a change from here on is one. Those that are known already stay as they were seen. */
  note(names: readonly string[]): void {
    for (const path of this.#pathsOf(names)) if (!this.#stamps.has(path)) this.#stamps.set(path, stampOf(path));
  }

  /** What changed since the last look. What is named for the first time has not. */
  look(names: readonly string[]): FileChange[] {
    const paths = this.#pathsOf(names);
    const now = new Map(paths.map((path) => [path, stampOf(path)]));
    const changes = [...now].flatMap(([path, stamp]): FileChange[] => {
      const before = this.#stamps.get(path);
      if (before === undefined || before === stamp) return [];
      return [{ path, event: before === "" ? "add" : stamp === "" ? "unlink" : "change" }];
    });
    this.#stamps = now;
    return changes;
  }

  #pathsOf(names: readonly string[]): string[] {
    return [...new Set(names.map((name) => resolve(this.#cwd, name)))].slice(0, mostFiles);
  }
}

function stampOf(path: string): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "" : `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}`;
  } catch {
    // Not for us to see: as if it were not there.
    return "";
  }
}
