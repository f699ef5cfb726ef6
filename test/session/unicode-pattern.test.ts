// Seen: a tool with a field such as z.string().regex(/^[\w-.]+$/) answered each call with "Invalid regular expression".
import fc from "fast-check";
import { expect, test } from "vitest";
import { SchemaChecker } from "../../src/session/tools/json-schema.ts";
import { isUnicodePattern, unicodePattern } from "../../src/session/tools/unicode-pattern.ts";

const written: [string, string][] = [
  [String.raw`^[\w-.]+$`, String.raw`^[\w\-.]+$`],
  [String.raw`^[.-\d]$`, String.raw`^[.\-\d]$`],
  [String.raw`^\d{4}\-\d{2}\@x\/\"$`, String.raw`^\d{4}-\d{2}@x\/"$`],
  [String.raw`^[\w--a]$`, String.raw`^[\w\-\-a]$`],
  [String.raw`^[a-z\_-]+\_$`, String.raw`^[a-z_\-]+_$`],
  [String.raw`^[^\-\@]$`, String.raw`^[^\-@]$`],
  [String.raw`^{a}]{2,}$`, String.raw`^\{a\}\]{2,}$`],
  [String.raw`^[\w-]{2$`, String.raw`^[\w\-]\{2$`],
  [String.raw`^[a-z]{2}$`, String.raw`^[a-z]{2}$`],
  [String.raw`^\[\\]$`, String.raw`^\[\\\]$`],
];

test.each(written)("%s becomes %s", (pattern, spelled) => {
  expect(unicodePattern(pattern)).toBe(spelled);
  expect(isUnicodePattern(spelled)).toBe(true);
});

test.each(["(", "[", String.raw`\A\w-\Z`, "(?i)a"])("%s stays unchanged", (pattern) => {
  expect(unicodePattern(pattern)).toBe(pattern);
});

test("the converted pattern matches the same texts as the original without the flag", () => {
  const all = String.raw`\- \@ \_ \w \d \. [a- [\w- {2} a b - . @ _ { } ] ^ $ | * ? ( )`;
  const piece = fc.constantFrom(...all.split(" "));
  const words = fc.stringMatching(/^[-ab.@_{}\]2]{0,6}$/u);
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), words, (pieces, word) => {
      const pattern = pieces.join("");
      const spelled = unicodePattern(pattern);
      fc.pre(spelled !== pattern);
      expect(new RegExp(spelled, "u").test(word)).toBe(new RegExp(pattern).test(word));
    }),
    { numRuns: 2_000 },
  );
});

test("the schema checker applies converted patterns to names and values", () => {
  const slug = { type: "string", pattern: String.raw`^[\w-.]+$` };
  const checker = new SchemaChecker({
    properties: { slug },
    patternProperties: { [String.raw`^x\-`]: { type: "number" } },
  });
  expect(checker.check({ slug: "a-b.c", "x-size": 5 })).toEqual({ ok: true });
  for (const wrong of [{ slug: "a b" }, { "x-size": "5" }]) expect(checker.check(wrong).ok).toBe(false);
});
