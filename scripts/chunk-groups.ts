// Groups modules into chunks. By default the bundler makes a chunk of every set of modules that two entries share, and then a
// start opens a hundred small files. What each stage loads is known beforehand, so each becomes one file.
import type { Plugin } from "rolldown";

export interface ChunkGroup {
  name: string;
  test: (id: string) => boolean;
  priority: number;
}

/** Named stages with their root modules. A module belongs to the first stage that needs it. */
export type Stages = readonly (readonly [name: string, roots: readonly string[]])[];

/** The static imports of each module, by module id. Dynamic imports are not included. */
export type ImportGraph = Map<string, readonly string[]>;

export function recordImports(graph: ImportGraph): Plugin {
  return { name: "record-imports", moduleParsed: ({ id, importedIds }) => void graph.set(id, importedIds) };
}

export function chunkGroups(graph: ImportGraph, stages: Stages): ChunkGroup[] {
  const taken = new Set<string>();
  return stages.map(([name, roots], at) => {
    const own = new Set([...modulesOf(graph, roots)].filter((id) => !taken.has(id)));
    for (const id of own) taken.add(id);
    return { name, test: (id: string) => own.has(id), priority: stages.length - at };
  });
}

/** Returns all modules that are loaded with the modules of `roots`. */
function modulesOf(graph: ImportGraph, roots: readonly string[]): Set<string> {
  const waiting = roots.map((root) => {
    const found = [...graph.keys()].find((id) => id.endsWith(root));
    if (found === undefined) throw new Error(`${root} is in no chunk: was it renamed?`);
    return found;
  });
  const seen = new Set<string>();
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    waiting.push(...(graph.get(id) ?? []));
  }
  return seen;
}
