import { createContext, runInContext } from "node:vm";
import { expect, test } from "vitest";
import { withPlainExports } from "../../scripts/plain-exports.ts";

const getter = (name: string, local: string): string =>
  `Object.defineProperty(exports,"${name}",{enumerable:!0,get:function(){return ${local}}})`;

/** The exports of a chunk. */
function run(code: string): Record<string, unknown> {
  const exports: Record<string, unknown> = {};
  runInContext(code, createContext({ exports }));
  return exports;
}

test("an export that is never assigned becomes a plain property", () => {
  const code = withPlainExports(`const a=1;function b(){}${getter("x", "a")},${getter("y", "b")};`);
  expect(code).toBe("const a=1;function b(){}exports.x=a,exports.y=b;");
});

test.each([
  ["assigned", "a=2"],
  ["added to", "a+=1"],
  ["counted up", "a++"],
  ["taken out of a list", "[a]=[2]"],
  ["taken out of an object", "({b:a=2}={})"],
  ["the rest of a list", "[,...a]=[1,2]"],
  ["given by a loop over values", "for(a of[2]);"],
  ["given by a loop over keys", "for(a in{k:1});"],
])("an export that is %s later has its current value", (_, change) => {
  const exports = run(
    withPlainExports(`let a=1;function then(){${change}}${getter("x", "a")},${getter("then", "then")};`),
  );
  expect(exports["x"]).toBe(1);
  (exports["then"] as () => void)();
  expect(exports["x"]).not.toBe(1);
});

test("an export that is assigned before it is exported has its last value", () => {
  expect(run(withPlainExports(`var a;a=2;${getter("x", "a")};`))["x"]).toBe(2);
});

test("a string that only looks like an export stays as it is", () => {
  const code = `const a=\`${getter("x", "a")}\`;`;
  expect(withPlainExports(code)).toBe(code);
});
