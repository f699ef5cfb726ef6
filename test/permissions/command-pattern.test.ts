import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  couldMatch,
  literalSpecifier,
  matchesCommand,
  parseCommandPattern,
  withoutNeedlessQuotes,
  type CommandPattern,
} from "../../src/permissions/rules/command-pattern.ts";
import { describeVectors } from "../support/vectors.ts";

function pattern(specifier: string): CommandPattern {
  const parsed = parseCommandPattern(specifier);
  if (parsed === null) throw new Error(`no pattern: ${specifier}`);
  return parsed;
}

function matches(specifier: string, text: string): boolean {
  return matchesCommand(pattern(specifier), text);
}

describe("a command pattern", () => {
  test.each([
    ["npm run build", "npm run build", true],
    ["npm run build", "npm run build --x", false],
    ["npm run test *", "npm run test", true],
    ["npm run test *", "npm run test x", true],
    ["npm run test *", "npm run testing", false],
    ["npm run test:*", "npm run test", true],
    ["npm run test:*", "npm run test:unit", false],
    ["npm run test:*", "npm run test x y", true],
    ["ls*", "lsof", true],
    ["ls*", "ls", true],
    ["* install", "npm install", true],
    ["* install", "install", false],
    ["git * main", "git push origin main", true],
    ["git *main* main", "git push main", false],
    ["git * main", "git push origin maintenance", false],
    ["git -C :* rev-parse:*", "git -C :/x rev-parse HEAD", true],
    ["git -C :* rev-parse:*", "git status", false],
    ["git push origin feature/*:*", "git push origin feature/a", true],
    ["git push origin feature/*:*", "git push origin main", false],
    [String.raw`find . -name \*.js`, "find . -name *.js", true],
    [String.raw`find . -name \*.js`, "find . -name x.js", false],
    ["a*a", "a", false],
    ["a*b*c", "axxbyyc", true],
    ["a*b*c", "axxcyyb", false],
  ])("matches as listed: %s against %s gives %s", (specifier, text, expected) => {
    expect(matches(specifier, text)).toBe(expected);
  });

  test.each([
    ['python3 "/x/y.py" *', "python3 /x/y.py *"],
    ['"/x/y.sh":*', "/x/y.sh:*"],
    ["git log --format='%h' -n 1", "git log --format=%h -n 1"],
    [String.raw`sh "/a\(b\)/c.sh" *`, String.raw`sh /a\(b\)/c.sh *`],
    ...['echo "a b" *', 'find . -name "*.ts"', "echo '' x", 'echo "$X"', String.raw`echo "a\"b"`, 'echo "open'].map(
      (text) => [text, text],
    ),
  ])("loses the quotes that its words do not need: %s", (specifier, bare) => {
    expect(withoutNeedlessQuotes(specifier)).toBe(bare);
  });

  test.each(["*", "**", " ", ":*", " *", "* *", "*:*"])("is null if it holds nothing literal: %j", (specifier) => {
    expect(parseCommandPattern(specifier)).toBeNull();
  });

  test("made from a text matches that text and no other", () => {
    // Few characters: of two arbitrary texts, one is never what a star in the other would stand for.
    const texts = fc.string({ unit: fc.constantFrom("a", "*", "\\", "(", ")", " ", ":", '"', "é"), maxLength: 6 });
    fc.assert(
      fc.property(texts, texts, (text, other) => {
        fc.pre(text.trim() === text && text !== "");
        const exact = parseCommandPattern(literalSpecifier(text));
        expect(exact).not.toBeNull();
        if (exact === null) return;
        expect(matchesCommand(exact, text)).toBe(true);
        expect(matchesCommand(exact, other)).toBe(other === text);
      }),
      { numRuns: 1_000 },
    );
  });

  test("could match every beginning of a text that it matches", () => {
    const piece = fc.stringMatching(/^[ab ]{0,4}$/);
    fc.assert(
      fc.property(fc.array(piece, { minLength: 2, maxLength: 4 }), fc.nat(8), fc.array(piece), (pieces, cut, fill) => {
        const parsed = parseCommandPattern(pieces.join("*"));
        if (parsed === null) return;
        const text = parsed.pieces.reduce((whole, part, index) => whole + (fill[index] ?? "") + part);
        fc.pre(matchesCommand(parsed, text));
        expect(couldMatch(parsed, text.slice(0, cut))).toBe(true);
      }),
    );
  });

  test("matches in linear time where a regular expression would backtrack", () => {
    const evil = pattern(`${"a*".repeat(200)}b`);
    expect(matchesCommand(evil, "a".repeat(100_000))).toBe(false);
  });
});

describeVectors<{ opencode: { kind: string; text?: string; pattern?: string; expected: unknown }[] }>(
  "permission_rules",
  ({ opencode }) => {
    const cases = opencode.filter(
      ({ kind, pattern: text }) => kind === "match" && text !== undefined && !text.includes("?") && !text.includes("/"),
    );
    test.each(cases)("$pattern against $text", ({ pattern: specifier = "", text = "", expected }) => {
      expect(matches(specifier, text)).toBe(expected);
    });
  },
);
