// Which modules travel together. Left to itself the bundler makes a chunk of every set of modules that two entries share, and
// a start then opens a hundred small files. What each of these loads is known before: one file for each.
import type { OutputChunk } from "rolldown";

export interface ChunkGroup {
  name: string;
  test: (id: string) => boolean;
  priority: number;
}

/** Sets of modules by name, each with the modules that need it whole; the first that needs a module has it. */
export type Stages = readonly (readonly [name: string, roots: readonly string[]])[];

/** `chunks`: of a build without groups. */
export function chunkGroups(chunks: readonly OutputChunk[], stages: Stages): ChunkGroup[] {
  const taken = new Set<string>();
  return stages.map(([name, roots], at) => {
    const own = new Set([...modulesOf(chunks, roots)].filter((id) => !taken.has(id)));
    for (const id of own) taken.add(id);
    return { name, test: (id: string) => own.has(id), priority: stages.length - at };
  });
}

/** All that is loaded with the modules of `roots`. */
function modulesOf(chunks: readonly OutputChunk[], roots: readonly string[]): Set<string> {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const waiting = roots.map((root) => {
    const found = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(root)));
    if (found === undefined) throw new Error(`${root} is in no chunk: was it renamed?`);
    return found;
  });
  const seen = new Set<OutputChunk>();
  for (let chunk = waiting.pop(); chunk !== undefined; chunk = waiting.pop()) {
    if (seen.has(chunk)) continue;
    seen.add(chunk);
    for (const name of chunk.imports) {
      const next = byFile.get(name);
      if (next !== undefined) waiting.push(next);
    }
  }
  return new Set([...seen].flatMap(({ moduleIds }) => moduleIds));
}
