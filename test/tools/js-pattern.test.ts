import { expect, test } from "vitest";
import { toJsRegExp } from "../../src/tools/search/js-pattern.ts";

test.each([
  String.raw`\p{uppercase}x`,
  String.raw`\h`,
  String.raw`\Qa\E`,
  "[a-z&&[^b]]",
  "[a-z--b]",
  "[a~~b]",
  "[a[b]]",
  "[[:^alpha:]]",
  "[[:constructor:]]",
])("refuses %s, which JavaScript would silently read differently", (pattern) => {
  expect(() => toJsRegExp(pattern, "g")).toThrow();
});

test("accepts the same characters as literals outside of a class", () => {
  expect(toJsRegExp("a && --b ~~c", "g").test("if a && --b ~~c")).toBe(true);
});
