import { expect, test } from "vitest";
import { handExpression } from "../../src/tools/search/hand-pattern.ts";

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
])("refuses %s, of which nothing would be found without a word", (pattern) => {
  expect(() => handExpression(pattern, "g")).toThrow();
});

test("takes the same for letters outside of a class", () => {
  expect(handExpression("a && --b ~~c", "g").test("if a && --b ~~c")).toBe(true);
});
