/** Lists the memory files of a session for inspection. */
import { statusOf } from "../../lib/path-status.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { MemoryFile } from "../../knowledge/memory-files.ts";
import type { Memory } from "../../knowledge/memory.ts";

export interface MemoryListing {
  /** In the order in which the model gets them. */
  files: { path: string; scope: MemoryFile["scope"]; characters: number; importedBy?: string }[];
  /** Rules that wait for a file they apply to. */
  waiting: { path: string; globs: string[] }[];
  /** Files loaded since the start, because other files were read. */
  later: string[];
  /** The folder of the notes about the project. */
  notes?: string;
  /** What was left out or changed, one sentence each. */
  notices: string[];
  /** Memory files are disabled. */
  isOff: boolean;
}

/** For an agent that gets no memory files. */
export const noMemory: Pick<Memory, "files" | "scoped" | "notices"> = { files: [], scoped: [], notices: [] };

const headingPattern = /^## (\/[^\n]*?)(?: \(imported by [^\n]*\))?$/gmu;

/** `laterTexts`: the texts sent since the start. */
export function memoryListing(
  { files, scoped, notices }: typeof noMemory,
  laterTexts: readonly string[],
  { notes, isOff }: { notes: string | undefined; isOff: boolean },
): MemoryListing {
  const later = laterTexts.flatMap((text) => Array.from(text.matchAll(headingPattern), ([, path = ""]) => path));
  // A file may itself contain headings of this form: `## /api/users`.
  const known = new Set(later.filter((path) => statusOf(path)?.isFile() === true));
  return {
    files: listMemoryFiles(files),
    waiting: scoped
      .filter(({ file }) => !known.has(file.path))
      .map(({ file, globs }) => ({ path: file.path, globs: [...globs] })),
    later: [...known],
    notices,
    isOff,
    ...withoutUndefined({ notes }),
  };
}

export function listMemoryFiles(files: Memory["files"]): MemoryListing["files"] {
  return files.map(({ path, scope, characters, parent }) => ({
    path,
    scope,
    characters,
    ...withoutUndefined({ importedBy: parent }),
  }));
}
