// Nodes of the syntax trees that rolldown's parser makes.

export interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

/** Calls `visit` for each node in a tree or a list of trees, the outer ones first. */
export function walk(node: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(node)) return node.forEach((part) => walk(part, visit));
  if (typeof node !== "object" || node === null) return;
  if ("type" in node && "start" in node) visit(node as Node);
  Object.values(node).forEach((part) => walk(part, visit));
}
