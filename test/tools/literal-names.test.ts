// Glob and Grep, with ripgrep and by hand, by names with brackets and other signs of their own.
import { utimesSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findRg, openToolBox, textOf } from "./support.ts";

const rg = findRg();
const ways = [...(rg === null ? [] : [["ripgrep", rg] as const]), ["no ripgrep", null] as const];

/** From newest to oldest. */
const names = [
  "app/[id]/(auth)/page.tsx",
  "app/[id]/[[...rest]].tsx",
  "notes/{rule} x.md",
  "lib/a.ts",
  "users/[user-id]/c.ts",
  "users/[!z-a]/d.ts",
];

describe.each(ways)("with %s", (_, rgPath) => {
  test.each([
    ["app/[id]/**", "app/[id]/(auth)/page.tsx\napp/[id]/[[...rest]].tsx"],
    ["**/[id]/(auth)/*.tsx", "app/[id]/(auth)/page.tsx"],
    ["app/[id]/[[...rest]].*", "app/[id]/[[...rest]].tsx"],
    ["app/\\[id\\]/*.tsx", "app/[id]/[[...rest]].tsx"],
    ["notes/{rule}*.md", "notes/{rule} x.md"],
    ["**/[ab].{ts,js}", "lib/a.ts"],
    // One is a name, the other a set.
    ["app/[id]/**/page.[jt]s*", "app/[id]/(auth)/page.tsx"],
    ["users/[user-id]/[a-c].ts", "users/[user-id]/c.ts"],
    // As sets these would begin behind their ends.
    ["users/[user-id]/**", "users/[user-id]/c.ts"],
    ["[r-u]*/[user-id]/[cd].ts", "users/[user-id]/c.ts"],
    ["users/[!z-a]/*", "users/[!z-a]/d.ts"],
  ])("the pattern %s also finds names with literal brackets", async (pattern, shown) => {
    const box = openToolBox({ rgPath });
    for (const [index, name] of names.entries()) {
      const time = new Date(2e9 - index * 1000);
      utimesSync(box.put(name, "x\n"), time, time);
    }
    expect(textOf(await box.call("Glob", { pattern }))).toBe(shown);
  });

  test("Grep finds files in a folder with brackets in its name", async () => {
    const box = openToolBox({ rgPath });
    for (const name of ["app/[id]/a.ts", "app/(auth)/b.ts", "app/i/c.ts"]) box.put(name, "needle\n");
    const found = async (pattern: string): Promise<string[]> =>
      textOf(await box.call("Grep", { pattern: "needle", glob: pattern }))
        .split("\n")
        .toSorted();
    expect(await found("app/[id]/**")).toEqual(["app/[id]/a.ts", "app/i/c.ts"]);
    expect(await found("**/(auth)/*.ts")).toEqual(["app/(auth)/b.ts"]);
    expect(await found("!app/[id]/**")).toEqual(["app/(auth)/b.ts"]);
    box.put("app/[user-id]/d.ts", "needle\n");
    expect(await found("app/[user-id]/**")).toEqual(["app/[user-id]/d.ts"]);
  });

  test.each([
    ["#a.ts", "#a.ts"],
    ["#*", "#a.ts #b.ts"],
    ["c ", "c "],
    ["c\\ ", "c "],
    ["[!#]*.ts", "d.ts e.ts"],
    ["d/[!a].ts", "d/b.ts"],
  ])("Glob and Grep read %j as a pattern of names, not as a line of .gitignore", async (pattern, shown) => {
    const box = openToolBox({ rgPath });
    for (const name of ["#a.ts", "#b.ts", "c ", "c", "d.ts", "e.ts", "d/b.ts", "d/a.ts"].filter(
      (name) => pattern.includes("/") === name.includes("/"),
    ))
      box.put(name, "needle\n");
    const names = async (tool: string, input: Record<string, string>): Promise<string> =>
      textOf(await box.call(tool, input))
        .split("\n")
        .toSorted()
        .join(" ");
    expect(await names("Glob", { pattern })).toBe(shown);
    expect(await names("Grep", { pattern: "needle", glob: pattern })).toBe(shown);
  });

  // Seen: ripgrep took the blank character off the name and refused the backslash that was left.
  test.each(["Icon\r", "tab\t", "two  ", "no-break\u00a0", "back\\", "back\\ "])(
    "Grep searches src/** beside a file with the name %j",
    async (name) => {
      const box = openToolBox({ rgPath });
      for (const path of [name, "src/x.ts"]) box.put(path, "needle\n");
      expect(textOf(await box.call("Grep", { pattern: "needle", glob: "src/**" }))).toBe("src/x.ts");
    },
  );
});
