/** What a session is called, wherever in its file that was said last: looked for from the end, without parsing what lies between. */
import { lineOffsets, recordAt } from "./boundary-search.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { applyFact, lineStart } from "./record.ts";
import type { Marks } from "./summary.ts";

const allKinds = ["title", "tag", "archived"] as const;

/** The newest of each of `kinds`. A boundary carries those before it. */
export function newestMarks(
  fs: TranscriptFileSystem,
  descriptor: number,
  size: number,
  kinds: readonly (keyof Marks)[] = allKinds,
): Marks {
  const marks: Marks = {};
  const starts = [...kinds, "compact_boundary" as const].map(lineStart);
  for (const offset of lineOffsets(fs, descriptor, size, starts)) {
    const record = recordAt(fs, descriptor, offset, size);
    if (record === undefined) continue;
    const said: Marks = "message" in record ? (record.snapshot ?? {}) : applyFact({}, record.type, record.data);
    for (const kind of kinds) if (marks[kind] === undefined && said[kind] !== undefined) set(marks, kind, said[kind]);
    const isWhole = kinds.every((kind) => marks[kind] !== undefined);
    if (isWhole || ("message" in record && record.snapshot !== undefined)) break;
  }
  return marks;
}

function set<K extends keyof Marks>(marks: Marks, kind: K, value: Marks[K]): void {
  marks[kind] = value;
}
