/** Which memory files a session has, for a person who looks. */
import { statusOf } from "../../lib/disk-look.ts";
import { present } from "../../lib/present.ts";
import type { MemoryFile } from "../../knowledge/memory-files.ts";
import type { Memory } from "../../knowledge/memory.ts";

export interface MemoryListing {
  /** In the order in which they are told. */
  files: { path: string; scope: MemoryFile["scope"]; characters: number; importedBy?: string }[];
  /** Rules that wait for a file they are for. */
  waiting: { path: string; globs: string[] }[];
  /** Files that were told since the start, because others were read. */
  later: string[];
  /** The folder of the notes about the project. */
  notes?: string;
  /** What was left out or changed, a sentence each. */
  notices: string[];
  /** They are switched off. */
  isOff: boolean;
}

/** Of an agent that is told none. */
export const noMemory: Pick<Memory, "files" | "scoped" | "notices"> = { files: [], scoped: [], notices: [] };

const heading = /^## (\/[^\n]*?)(?: \(imported by [^\n]*\))?$/gmu;

/** `told`: what was told since the start. */
export function memoryListing(
  { files, scoped, notices }: typeof noMemory,
  told: readonly string[],
  { notes, isOff }: { notes: string | undefined; isOff: boolean },
): MemoryListing {
  const later = told.flatMap((text) => Array.from(text.matchAll(heading), ([, path = ""]) => path));
  // A file may have headings of this form itself: `## /api/users`.
  const known = new Set(later.filter((path) => statusOf(path)?.isFile() === true));
  return {
    files: files.map(({ path, scope, characters, parent }) => ({
      path,
      scope,
      characters,
      ...present({ importedBy: parent }),
    })),
    waiting: scoped
      .filter(({ file }) => !known.has(file.path))
      .map(({ file, globs }) => ({ path: file.path, globs: [...globs] })),
    later: [...known],
    notices,
    isOff,
    ...present({ notes }),
  };
}
