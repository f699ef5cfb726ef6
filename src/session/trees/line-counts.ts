/** Counts the lines by which two contents of a file differ. */
import { decodeText, findBinary } from "../../tools/text-file.ts";
import { changedLines, splitLines } from "../../lib/changed-lines.ts";

export interface LineCounts {
  insertions: number;
  deletions: number;
}

/** Beyond this many edits, everything between the first and the last difference counts as changed: a finer comparison costs too much. */
const mostEdits = 2000;

/** Counts from `before` to `after`; undefined means no file. Binary contents count no lines. */
export async function countLines(before: Buffer | undefined, after: Buffer | undefined): Promise<LineCounts> {
  const { removed, added } = changedLines(linesOf(before), linesOf(after));
  if (removed.length === 0 || added.length === 0) return { insertions: added.length, deletions: removed.length };
  const { diffArrays } = await import("diff");
  const parts = diffArrays(removed, added, { maxEditLength: mostEdits });
  if (parts === undefined) return { insertions: added.length, deletions: removed.length };
  const counts = { insertions: 0, deletions: 0 };
  for (const part of parts) {
    if (part.added) counts.insertions += part.value.length;
    if (part.removed) counts.deletions += part.value.length;
  }
  return counts;
}

function linesOf(bytes: Buffer | undefined): string[] {
  if (bytes === undefined || bytes.length === 0 || findBinary(bytes) !== undefined) return [];
  return splitLines(decodeText(bytes).text);
}
