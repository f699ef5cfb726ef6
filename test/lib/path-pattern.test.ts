import fc from "fast-check";
import ignore from "ignore";
import { describe, expect, test } from "vitest";
import { matchesPath, parsePathPattern } from "../../src/lib/path-pattern.ts";
import { describeVectors } from "../support/vectors.ts";

function matches(pattern: string, path: string, folds = false): boolean {
  const parsed = parsePathPattern(pattern, { folds });
  return parsed !== null && matchesPath(parsed, path.replace(/\/$/u, ""), path.endsWith("/"));
}

describe("a path pattern", () => {
  test.each([
    ["*.env", "a/b/.env", true],
    ["src/**", "src/a/b", true],
    ["src/**", "src", false],
    ["src/**", "lib/src/a", false],
    ["**/src/**", "lib/src/a", true],
    ["/a", "a/b", true],
    ["/a", "b/a", false],
    ["a/", "a", false],
    ["a/", "a/b", true],
    ["a/", "x/a/b", true],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/x/y/b", true],
    ["[ab]c", "bc", true],
    ["[!ab]c", "bc", false],
    ["[[:digit:]]x", "7x", true],
    ["[[:toString:]x", "7x", false],
    ["a\\*", "a*", true],
    ["a\\*", "ab", false],
    ["secrets", "x/secrets/y", true],
  ])("%s matches %s: %s", (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  test.each([
    ["app/[id]/**", "app/[id]/a", true],
    ["app/[id]/**", "app/i/a", true],
    ["app/[id]/**", "app/id/a", false],
    ["[[...all]].*", "x/[[...all]].ts", true],
    ["\\[id\\]", "[id]", true],
    ["\\[id\\]", "i", false],
  ])("with literal names also matches names with brackets: %s matches %s: %s", (text, path, expected) => {
    const parsed = parsePathPattern(text, { folds: false, allowsLiteralNames: true });
    expect(parsed !== null && matchesPath(parsed, path, false)).toBe(expected);
  });

  test("without literal names reads brackets as a set only", () => {
    expect(matches("[id]", "[id]")).toBe(false);
  });

  test("ignores case and Unicode composition only if it folds", () => {
    expect(matches(".Env", "a/.ENV", true)).toBe(true);
    expect(matches("caf\u00e9", "cafe\u0301", true)).toBe(true);
    expect(matches(".Env", "a/.ENV", false)).toBe(false);
  });

  test.each(["", " ", "!a", "#a", "/", "//", "..", "a/../b", "a\\"])(
    "that can match nothing is null: %j",
    (pattern) => {
      expect(parsePathPattern(pattern, { folds: false })).toBeNull();
    },
  );

  test("agrees with the ignore package", () => {
    const segment = fc
      .stringMatching(/^[ab*?]{1,3}$/)
      .filter((text) => text !== "***" && !/^\*\*./u.test(text) && !/.\*\*$/u.test(text));
    const name = fc.stringMatching(/^[ab]{1,3}$/);
    const pattern = fc.tuple(
      fc.constantFrom("", "/"),
      fc.array(segment, { minLength: 1, maxLength: 4 }),
      fc.constantFrom("", "/"),
    );
    fc.assert(
      fc.property(pattern, fc.array(name, { minLength: 1, maxLength: 4 }), ([start, segments, end], names) => {
        const text = start + segments.join("/") + end;
        const path = names.join("/");
        expect(matches(text, path), `${text} ${path}`).toBe(ignore({ ignorecase: false }).add(text).ignores(path));
      }),
      { numRuns: 2_000 },
    );
  });

  test("takes little time on input that blocks a regular expression", () => {
    const start = process.cpuUsage();
    expect(matches(`${"*a".repeat(60)}b`, "a".repeat(4_000))).toBe(false);
    expect(matches(`${"**/a/".repeat(40)}b`, "a/".repeat(200))).toBe(false);
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(8_000);
  });

  test("takes linear time for deep paths and long patterns", () => {
    const start = process.cpuUsage();
    expect(matches("**/b", "a/".repeat(100_000))).toBe(false);
    expect(matches("a/**/b/*.c", `a/${"b/".repeat(100_000)}x.c`)).toBe(true);
    expect(matches(`a${" ".repeat(300_000)}b`, "a")).toBe(false);
    expect(matches(`a${"/".repeat(300_000)}b`, "a/b")).toBe(true);
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(8_000);
  });
});

interface GitCase {
  case: string;
  gitignore: string;
  path: string;
  git: boolean | null;
}

describeVectors<{ gitignore: GitCase[] }>("glob_gitignore", ({ gitignore }) => {
  const single = gitignore.filter(({ gitignore: text, git }) => git !== null && !/[\n!#]/u.test(text.trim()));
  test.each(single)("matches like git: $gitignore with $path ($case)", ({ gitignore: text, path, git }) => {
    expect(matches(text.trim(), path)).toBe(git);
  });
});
