/** Files that FileChanged hooks name: compared between two turns, and not watched in between. */
import { statSync } from "node:fs";
import { resolve } from "node:path";

export interface FileChange {
  path: string;
  event: "change" | "add" | "unlink";
}

const maxWatchedFiles = 200;

export class WatchedFiles {
  readonly #cwd: string;
  /** State when last seen, by path. Empty if the file did not exist. */
  #stamps = new Map<string, string>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** Notes the current state, so that later changes are found. Files that are already known keep their state. */
  note(names: readonly string[]): void {
    for (const path of this.#pathsOf(names)) if (!this.#stamps.has(path)) this.#stamps.set(path, stampOf(path));
  }

  /** The changes since the last look. A file that is named for the first time has none. */
  takeChanges(names: readonly string[]): FileChange[] {
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
    return [...new Set(names.map((name) => resolve(this.#cwd, name)))].slice(0, maxWatchedFiles);
  }
}

function stampOf(path: string): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "" : `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}`;
  } catch {
    // A file that cannot be read counts as missing.
    return "";
  }
}
