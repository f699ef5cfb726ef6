import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scanFolder } from "../../src/knowledge/scan.ts";
import { put } from "../support/put.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root: string;
beforeEach(() => {
  root = temporaryFolder();
});

const accepts = (name: string): boolean => name.endsWith(".md");
function write(...names: string[]): void {
  for (const name of names) put(join(root, name), "x");
}

test("finds files up to eight folders deep, each folder once, but not in node_modules and .git", () => {
  write("b.md", "a/a.md", "a/a.txt", "node_modules/x/x.md", ".git/x.md", "1/2/3/4/5/6/7/8/in.md");
  write("1/2/3/4/5/6/7/8/9/out.md");
  symlinkSync(root, join(root, "a/up"));
  expect(scanFolder(root, { accepts })).toEqual({
    paths: ["1/2/3/4/5/6/7/8/in.md", "a/a.md", "b.md"].map((name) => join(root, name)),
    problems: [],
  });
});

// Seen: of a collection of a thousand skills the second half was missing.
test("finds at most five thousand files, and reports that more were left out", () => {
  for (let at = 0; at < 5_000; at++) writeFileSync(join(root, `${at}.md`), "");
  const all = scanFolder(root, { accepts });
  expect([all.paths.length, all.problems]).toEqual([5_000, []]);
  write("z/one.md");
  const some = scanFolder(root, { accepts });
  expect(some.paths).toEqual(all.paths);
  const reason = "it holds more than 5000 files of this kind; the rest was left out";
  expect(some.problems).toEqual([{ path: root, reason }]);
});

// Seen: a skill was gone since the folder that its link named had been moved, and of a file it was said that it led out of the project.
test("reports broken links to files and folders, but not editor locks", () => {
  const links = [".#b.md", "note.txt", "skill", "z.md"].map((name) => join(root, name));
  for (const link of links) symlinkSync("gone", link);
  const reason = "it is a link to something that does not exist";
  const problems = links.slice(2).map((path) => ({ path, reason }));
  expect(scanFolder(root, { accepts })).toEqual({ paths: [], problems });
  expect(scanFolder(root, { accepts, bounds: "anywhere" })).toEqual({ paths: [], problems });
});
