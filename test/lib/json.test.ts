import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "../../src/lib/json.ts";
import { describeVectors } from "../support/vectors.ts";

describe("settings JSON", () => {
  test("is what JSON.parse makes of it, without prototypes", () => {
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

  test("finds keys that stand twice, by their path", () => {
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
