import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineOfKey, linesOfKeys, parseJson } from "../../src/lib/json.ts";
import { describeVectors } from "../support/vectors.ts";

describe("parseJson", () => {
  test("returns what JSON.parse returns, without prototypes", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const parsed = parseJson(text);
        if (text.includes("__proto__")) return;
        expect(parsed.ok && JSON.stringify(parsed.value)).toBe(JSON.stringify(JSON.parse(text)).toWellFormed());
      }),
    );
    const parsed = parseJson('{"a":{"b":1}}');
    const inner = parsed.ok ? (parsed.value as { a: object }).a : {};
    expect(Object.getPrototypeOf(inner)).toBeNull();
  });

  test("never throws", () => {
    const broken = fc.json().map((text) => text.slice(1));
    fc.assert(
      fc.property(fc.oneof(fc.string(), broken), (text) => {
        expect(typeof parseJson(text).ok).toBe("boolean");
      }),
    );
  });

  test("reports keys that occur twice in one object, by their paths", () => {
    const parsed = parseJson('{"a":[{"b":1},{"b":2}],"c":{"d":{"e":1,"e":2}},"x":"\\"a\\":{","a":0}');
    expect(parsed.ok && parsed.repeated).toEqual(["c.d.e", "a"]);
  });
});

interface SuiteCase {
  name: string;
  expect: "accept" | "reject" | "either";
  text?: string;
}

describeVectors<{ vectors: SuiteCase[] }>("json_test_suite", ({ vectors }) => {
  const cases = vectors.filter((entry) => entry.text !== undefined);
  test.each(cases)("$name: $expect", ({ text = "", expect: expected }) => {
    const parsed = parseJson(text);
    if (expected !== "either") expect(parsed.ok).toBe(expected === "accept");
    if (!parsed.ok) expect(parsed.message).not.toMatch(/^$|\n/u);
  });
});

test("linesOfKeys finds the lines of all keys in one pass, for a repeated key the last line", () => {
  const text = '{"a": 1,\n"b": {"c": [{"d": 2}],\n"c": [\n3]},\n"a": 4}';
  const lines = linesOfKeys(text);
  expect([...lines]).toEqual([
    ["a", 5],
    ["b", 2],
    ["b.c", 3],
    ["b.c.d", 2],
  ]);
  expect(["b.c[1]", "b.c", "x"].map((key) => lineOfKey(lines, key))).toEqual([3, 3, undefined]);
  expect(parseJson('{"a":1,"a":2,"a":3}')).toMatchObject({ repeated: ["a"] });
});
