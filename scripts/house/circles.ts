// Forbids import circles, even through other files: to read one file, one would have to read all. Types and import() count.
import { posix } from "node:path";
import type { Problem, Source } from "./sources.ts";

/** Returns the circles of files that import each other, each once. */
function findCircles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const order = new Map<string, number>();
  const open: string[] = [];
  // Tarjan's algorithm: a file that is still open when it is reached again closes a circle.
  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    open.push(file);
    let lowest = own;
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (open.includes(next)) lowest = Math.min(lowest, order.get(next) ?? own);
    }
    if (lowest < own) return lowest;
    const circle = open.splice(open.indexOf(file));
    if (circle.length > 1) circles.push(circle);
    return lowest;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return circles;
}

export function checkCircles(sources: readonly Source[]): Problem[] {
  const files = new Set(sources.map(({ file }) => file));
  const graph = new Map(
    sources.map(({ file, imports }) => {
      const targets = imports
        .filter(({ specifier }) => specifier.startsWith("."))
        .map(({ specifier }) => posix.join(posix.dirname(file), specifier));
      return [file, targets.filter((target) => target !== file && files.has(target))] as const;
    }),
  );
  return findCircles(graph).map((circle) => {
    const [first = "", ...others] = circle.toSorted();
    const message = `imports and is imported by ${others.join(", ")}: put what both need into a file of its own`;
    return { file: first, line: 1, rule: "no-circle", message };
  });
}
