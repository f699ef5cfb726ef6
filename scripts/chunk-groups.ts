// Which modules travel together. Left to itself the bundler makes a chunk of every set of modules that two entries share, and
// a start then opens a hundred small files. What each of these loads is known before: one file for each.
import type { Plugin } from "rolldown";

export interface ChunkGroup {
  name: string;
  test: (id: string) => boolean;
  priority: number;
}

/** Sets of modules by name, each with the modules that need it whole; the first that needs a module has it. */
export type Stages = readonly (readonly [name: string, roots: readonly string[]])[];

/** What each module imports with itself, by its id; what it loads later is not in it. */
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

/** All that is loaded with the modules of `roots`. */
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
