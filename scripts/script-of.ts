// A chunk of the command as bin/compiled.js runs it.
import { parseAst } from "rolldown/parseAst";
import { withPlainExports } from "./plain-exports.ts";

/** The thread of lib/image/shrink.ts, which Node itself loads: there is no `importModule` in it, and no other chunk can be. */
export const threadFile = "thread.cjs";

/** What runs it gives it these. `importModule()` stands for every `import()`: in a script of ours Node calls that an experiment, and warns. */
const opening = "(function (exports, require, module, __filename, __dirname, importModule) {";

/** Throws what to do where the chunk cannot be run so. */
export function scriptOf(fileName: string, code: string): string {
  const places = importsIn(code);
  if (fileName === threadFile) {
    if (places.length > 0) throw new Error(`${fileName} is run as a thread: it may not import()`);
    return code;
  }
  let result = "";
  let from = 0;
  for (const place of places) {
    result += `${code.slice(from, place)}importModule`;
    from = place + "import".length;
  }
  return `${opening}${withPlainExports(result + code.slice(from))}\n})`;
}

/** Where each `import()` begins, in order. */
function importsIn(code: string): number[] {
  const places: number[] = [];
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(walk);
    if (typeof node !== "object" || node === null) return;
    const { type, start } = node as { type?: string; start?: number };
    if (type === "ImportExpression" && start !== undefined) places.push(start);
    Object.values(node).forEach(walk);
  };
  walk(parseAst(code, { lang: "js", sourceType: "commonjs" } as object).body);
  return places.toSorted((one, other) => one - other);
}
