import { runInThisContext } from "node:vm";
import { expect, test } from "vitest";
import { chunkScript } from "../../scripts/chunk-script.ts";

const opening = "(function (exports, require, module, __filename, __dirname, importModule) {";
const end = "\n})";

/** What the function of a chunk does. */
function bodyOf(code: string): string {
  const script = chunkScript("session-1.cjs", code);
  expect([script.slice(0, opening.length), script.slice(-end.length)]).toEqual([opening, end]);
  return script.slice(opening.length, -end.length);
}

test("a chunk is wrapped in a function for its loader, and a thread is not", () => {
  const code = "exports.a = __filename; // the end";
  expect(runInThisContext(chunkScript("session-1.cjs", code))).toBeTypeOf("function");
  expect(bodyOf(code)).toBe(code);
  expect(chunkScript("thread.cjs", code)).toBe(code);
});

test("import() becomes importModule(), but not in strings or as a method", () => {
  const code = 'const a = () => import("node:tls"), b = "import(x)"; import(`x${import("y")}`); a.import(1);';
  expect(bodyOf(code)).toBe(
    'const a = () => importModule("node:tls"), b = "import(x)"; importModule(`x${importModule("y")}`); a.import(1);',
  );
});

test("a thread with import() is refused", () => {
  expect(() => chunkScript("thread.cjs", 'const x = import("node:tls");')).toThrow(/thread/);
});
