/** The difference between two versions of a file as hunks, for clients and hooks. */

export interface PatchHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each line with its prefix: `+`, `-` or a space. */
  lines: string[];
}

/** Beyond these limits a diff costs more than it tells. */
const mostCharacters = 2_000_000;
const mostEdits = 2000;
/** The longest old text that a result may carry: results larger than 256 KiB have to be references. */
const mostOriginal = 128 * 1024;

/** Returns hunks with three lines of context; empty if the texts are too large or too different to compare. */
export async function structuredPatch(before: string, after: string): Promise<PatchHunk[]> {
  if (before.length + after.length > mostCharacters) return [];
  const diff = await import("diff");
  const patch = diff.structuredPatch("", "", before, after, "", "", { context: 3, maxEditLength: mostEdits });
  return (patch?.hunks ?? []).map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    lines,
  }));
}

/** Returns the old text for a result; null if it is too long to include. */
export function originalForOutput(text: string): string | null {
  return text.length > mostOriginal ? null : text;
}
