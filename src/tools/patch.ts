/** The difference of two versions of a file as hunks, for clients and hooks. */

export interface PatchHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each with its `+`, `-` or blank. */
  lines: string[];
}

/** Beyond these a diff costs more than it tells. */
const mostCharacters = 2_000_000;
const mostEdits = 2000;
/** What a result may carry of a file's old text: results larger than 256 KiB are to be references. */
const mostOriginal = 128 * 1024;

/** Three lines of context. Empty for texts too large or too different to compare. */
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

/** The old text for a result; null where it is too long to carry. */
export function originalForOutput(text: string): string | null {
  return text.length > mostOriginal ? null : text;
}
