/** Memory that is given only when needed: files in folders below the working folder, and rules for certain files, when one is read. */
import { existsSync } from "node:fs";
import { dirname, sep } from "node:path";
import { isWithin } from "../lib/is-within.ts";
import { findRepository } from "../lib/git-repository.ts";
import { isIgnoredFolder } from "./ignored-folders.ts";
import { MemoryReader, type LoadedMemoryFile, type MemoryOptions, type ScopedRule } from "./memory.ts";
import { memoryCandidates, nestedCandidates } from "./memory-files.ts";
import { realOf } from "./scan.ts";

export interface GivenMemory {
  files: LoadedMemoryFile[];
  text: string;
  /** The file that was read. */
  trigger: string;
  /** The globs of the rule that applied; absent for memory in the file's own folders. */
  globs?: readonly string[];
}

export interface NewMemory {
  memories: GivenMemory[];
  notices: string[];
}

const heading = "## ";
const importMark = " (imported by ";

export class NestedMemory {
  readonly #options: MemoryOptions;
  readonly #cwd: string;
  #reader: MemoryReader;
  #scoped: ScopedRule[] = [];
  readonly #visited = new Set<string>();

  /** `knownTexts`: memory texts that the conversation contains besides the first message. */
  constructor(options: MemoryOptions, knownTexts: readonly string[]) {
    this.#options = options;
    this.#cwd = realOf(options.cwd) ?? options.cwd;
    this.#reader = this.#createReader(knownTexts);
  }

  /** Starts over after texts have left the conversation, except those in `knownTexts`: their memory may be given again. */
  restart(knownTexts: readonly string[]): void {
    this.#visited.clear();
    this.#reader = this.#createReader(knownTexts);
  }

  /** Returns the memory these files require that was not given yet. Each file comes with the path it was read by and its real path. */
  read(files: Iterable<readonly [path: string, real: string]>): NewMemory {
    const found: NewMemory = { memories: [], notices: [] };
    for (const [path, real] of files) {
      const nearest = dirname(real);
      const isKnown = nearest === this.#cwd || this.#visited.has(nearest);
      if (!isKnown && !isWithin(nearest, this.#cwd)) continue;
      for (const folder of isKnown ? [] : this.#newFolders(nearest)) {
        for (const candidate of nestedCandidates(folder, this.#options)) this.#reader.add(candidate);
        this.#collect(found, { trigger: path });
      }
      if (this.#scoped.length === 0) continue;
      for (const rule of this.#scoped.filter((each) => each.appliesTo(real))) {
        this.#scoped.splice(this.#scoped.indexOf(rule), 1);
        this.#reader.addScoped(rule);
        this.#collect(found, { trigger: path, globs: rule.globs });
      }
    }
    return found;
  }

  #createReader(knownTexts: readonly string[]): MemoryReader {
    const reader = new MemoryReader(this.#options);
    for (const candidate of memoryCandidates(this.#options)) reader.add(candidate);
    const paths = knownTexts.flatMap(pathsInHeadings);
    for (const path of paths) reader.markPresent(path);
    // The first message already has the text, so only the scoped rules are kept that were not given yet.
    this.#scoped = reader.takeAdded().scoped.filter(({ file }) => !paths.includes(file.path));
    return reader;
  }

  #collect(memory: NewMemory, about: Pick<GivenMemory, "trigger" | "globs">): void {
    const { text, files, scoped, notices } = this.#reader.takeAdded();
    this.#scoped.push(...scoped);
    memory.notices.push(...notices);
    if (text !== "") memory.memories.push({ text, files, ...about });
  }

  /** Returns folders below the working folder that are new, uppermost first; none in ignored folders. */
  #newFolders(folder: string): string[] {
    // The folder was moved away since the file was read. If it comes back, its memory must still be given.
    if (folder === this.#cwd || this.#visited.has(folder) || !existsSync(folder)) return [];
    const folders: string[] = [];
    for (let level = folder; level !== this.#cwd && !this.#visited.has(level); level = dirname(level)) {
      if (level.split(sep).length > 256) break;
      folders.unshift(level);
    }
    for (const each of folders) this.#visited.add(each);
    if (folders.length === 0) return [];
    const top = findRepository(this.#cwd) ?? this.#cwd;
    return folders.filter((each) => !isIgnoredFolder(each, top));
  }
}

/** Returns the paths in the headings that `MemoryReader` puts above each text. */
function pathsInHeadings(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    if (!line.startsWith(heading)) return [];
    const own = line.slice(heading.length);
    const at = own.endsWith(")") ? own.indexOf(importMark, 1) : -1;
    return own === "" ? [] : [at < 0 ? own : own.slice(0, at)];
  });
}
