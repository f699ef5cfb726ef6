// Converts a chunk of the command into the form that bin/compiled.js runs.
import { parseAst } from "rolldown/parseAst";
import { withPlainExports } from "./plain-exports.ts";
import { walk } from "./syntax-tree.ts";

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
  walk(parseAst(code, { lang: "js", sourceType: "commonjs" } as object).body, ({ type, start }) => {
    if (type === "ImportExpression") places.push(start);
  });
  return places.toSorted((one, other) => one - other);
}
