// A Grep that finds nothing says what in the call may be the reason.
import { expect, test } from "vitest";
import { openToolBox, textOf, type ToolBox } from "./support.ts";

function filled(mayShow?: (path: string) => boolean): ToolBox {
  const box = openToolBox({ rgPath: null, ...(mayShow === undefined ? {} : { mayShow }) });
  box.put("src/a.ts", "const one = 1\n");
  box.put("src/b|c.md", "one\\two | three\n");
  return box;
}

const bar = /^No matches found\n\[\\\| is the character \| itself: alternatives are written a\|b\.\]$/;

test.each([
  ["an alternative in grep's syntax", { pattern: String.raw`none\|one` }, bar],
  ["an alternative after an escaped backslash", { pattern: String.raw`none\\\|one` }, bar],
  ["a line end", { pattern: String.raw`1\nconst` }, /^No matches found\n\[The pattern spans lines: set multiline/],
  ["a line end in a set", { pattern: String.raw`x[^\n]*y` }, /^No matches found$/],
  ["a line end, with multiline", { pattern: String.raw`1\nconst`, multiline: true }, /^No matches found$/],
  ["no bar", { pattern: "none" }, /^No matches found$/],
  ["a backslash, then an alternative", { pattern: String.raw`none\\|never` }, /^No matches found$/],
  ["a bar that the file contains", { pattern: String.raw`two \| three` }, /^src\/b\|c\.md$/],
  [
    "a folder in glob",
    { pattern: "one", glob: "src" },
    /^No matches found\n\["?src"? is a folder: give it as path\.\]$/,
  ],
  ["a folder in glob, with a slash", { pattern: "one", glob: "src/" }, /is a folder: give it as path\.\]$/],
  ["a glob that matches no file", { pattern: "one", glob: "*.py" }, /^No matches found$/],
  [
    "a folder further down in glob",
    { pattern: "one", glob: "lib/*.ts" },
    /\n\[lib\/\*\.ts is matched from the searched folder: .*\]$/,
  ],
  ["the searched folder in glob again", { pattern: "one", path: "src", glob: "src/*.ts" }, /\*\*\/src\/\*\.ts.*\]$/],
  [
    "a hidden folder further down in glob",
    { pattern: "one", glob: ".ci/*.yml" },
    /\*\*\/\.ci\/\*\.yml matches it at any depth\.\]$/,
  ],
  ["a glob for any depth", { pattern: "none", glob: "**/src/*.ts" }, /^No matches found$/],
])("Grep that finds nothing gives the right hint, or none, for %s", async (_, input, expected) => {
  expect(textOf(await filled().call("Grep", input))).toMatch(expected);
});

test("Grep gives no hint about a folder that may not be read", async () => {
  const box = filled((path) => !path.includes("src"));
  expect(textOf(await box.call("Grep", { pattern: "one", glob: "src" }))).toBe("No matches found");
});

test.each([
  ["src/*.ts", true],
  ["src lib", true],
  ["lib", false],
])("Grep reports that the path %s does not exist", async (path, isHinted) => {
  const result = await filled().call("Grep", { pattern: "one", path });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(/^File not found: /);
  expect(textOf(result).endsWith("path takes one file or folder; a pattern for their names goes into glob.")).toBe(
    isHinted,
  );
});
