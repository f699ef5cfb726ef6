// The bundler defines a getter for every export of a chunk, because some are reassigned later. A start defines more than five
// hundred of them and calls one at each use. Exports that are never reassigned become plain properties.
import { parseAst } from "rolldown/parseAst";
import { walk, type Node } from "./syntax-tree.ts";

/** Takes the text of a CommonJS chunk. Names that are assigned anywhere in it, in whatever scope, keep their getters. */
export function withPlainExports(code: string): string {
  const exported: { start: number; end: number; name: string; local: string }[] = [];
  const assigned = new Set<string>();
  const visit = (node: Node): void => {
    for (const name of assignedBy(node)) assigned.add(name);
    const found =
      /^Object\.defineProperty\(exports,"([\w$]+)",\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)$/u.exec(
        node.type === "CallExpression" && node.end - node.start < 200 ? code.slice(node.start, node.end) : "",
      );
    if (found !== null) exported.push({ ...node, name: found[1] ?? "", local: found[2] ?? "" });
  };
  walk(parseAst(code, { lang: "js", sourceType: "commonjs" } as object).body, visit);
  let result = "";
  let from = 0;
  for (const { start, end, name, local } of exported) {
    if (assigned.has(local)) continue;
    result += `${code.slice(from, start)}exports.${name}=${local}`;
    from = end;
  }
  return result + code.slice(from);
}

function assignedBy(node: Node): string[] {
  switch (node.type) {
    case "AssignmentExpression":
    case "ForInStatement":
    case "ForOfStatement":
      return namesIn(node["left"]);
    case "UpdateExpression":
      return namesIn(node["argument"]);
    default:
      return [];
  }
}

/** Returns all names in an assignment target, including those of expressions in it: too many names, but none is missed. */
function namesIn(target: unknown): string[] {
  const names: string[] = [];
  walk(target, (node) => {
    if (node.type === "Identifier") names.push(String(node["name"]));
  });
  return names;
}
