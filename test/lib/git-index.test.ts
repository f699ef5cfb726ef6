import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitlinkFolders, trackedFiles, trackedSymlinks } from "../../src/lib/git-index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("an index is read once for all that one judgement asks of it, and again for the next one", async () => {
  const top = temporaryFolder();
  const home = join(top, "home");
  mkdirSync(home);
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: top, env: { PATH: process.env["PATH"], HOME: home } });
  const add = (name: string) => git("update-index", "--add", "--cacheinfo", `100644,${"1".repeat(40)},${name}`);
  const look = () => trackedFiles(join(top, ".git"), join(top, ".git"), 1024 * 1024);
  git("init", "-q");
  add("a");
  const first = look();
  expect(first).toEqual(["a"]);
  // The same list, not an equal one.
  expect(look()).toBe(first);
  await Promise.resolve();
  add("b");
  expect(look()).toEqual(["a", "b"]);
});

test.each([
  ["sha1", "2"],
  ["sha1", "3"],
  ["sha1", "4"],
  ["sha256", "2"],
  ["sha256", "4"],
])("an index is read as git reads it: %s, version %s", (format, version) => {
  const top = temporaryFolder();
  const git = (input: string, ...args: string[]) =>
    execFileSync("git", args, { cwd: top, input, encoding: "utf8", env: { PATH: process.env["PATH"], HOME: top } });
  git("", "init", "-q", `--object-format=${format}`);
  // In several parts, each of which begins with an unshortened name.
  git("", "config", "index.threads", "3");
  const hash = "1".repeat(format === "sha1" ? 40 : 64);
  const modes = ["100644", "160000", "120000", "100755"];
  const lines = Array.from({ length: 300 }, (_, at) => {
    const name = `folder${at % 7}/below${"/x".repeat(at % 50 === 1 ? 40 * at : at % 5)}/file${at}`;
    return `${modes[at % modes.length]} ${hash} 0\t${name}\n`;
  });
  git(lines.join(""), "update-index", "--index-version", version === "3" ? "2" : version, "--index-info");
  if (version === "3") git("", "update-index", "--skip-worktree", "folder0/below/file0");
  const listed = git("", "ls-files", "-s").trim().split("\n");
  const namesOfModes = (...wanted: string[]) =>
    listed.filter((line) => wanted.includes(line.slice(0, 6))).map((line) => line.slice(line.indexOf("\t") + 1));
  const folder = join(top, ".git");
  expect(gitlinkFolders(folder, folder)).toEqual(namesOfModes("160000"));
  expect(trackedSymlinks(folder, folder, 1024 * 1024)).toEqual(namesOfModes("120000"));
  expect(trackedFiles(folder, folder, 1024 * 1024)).toEqual(namesOfModes("100644", "120000", "100755"));
  expect(listed).toHaveLength(300);
});
