// Converts a chunk of the command into the form that bin/compiled.js runs.
import { parseAst } from "rolldown/parseAst";
import { withPlainExports } from "./plain-exports.ts";

/** The thread of lib/image/shrink.ts. Node itself loads it, so it has no `importModule` and cannot load other chunks. */
export const threadFile = "thread.cjs";

/** The parameters that bin/compiled.js passes. `importModule()` replaces `import()`, for which Node warns in a compiled script. */
const wrapperOpening = "(function (exports, require, module, __filename, __dirname, importModule) {";

/** Throws an error that says what to do if the chunk cannot be run this way. */
export function chunkScript(fileName: string, code: string): string {
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
  return `${wrapperOpening}${withPlainExports(result + code.slice(from))}\n})`;
}

/** Returns the places where `import()` expressions begin, in order. */
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
