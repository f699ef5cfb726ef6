// Files with a filter, as LFS and git-crypt have one: a snapshot runs none, so that it cannot say whether they changed.
import { execFileSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { listsFilteredFile } from "../../src/knowledge/filtered-files.ts";
import { gitStatus } from "../../src/knowledge/git-status.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const doubt = "Status:\n(Files with a filter, as LFS has one, may be unchanged: ";
let repo = "";

const env = (): Record<string, string> => ({ PATH: process.env["PATH"] ?? "", HOME: repo, GIT_CONFIG_NOSYSTEM: "1" });
const git = (...args: string[]): unknown =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd: repo, env: env() });
const snapshot = (cwd = repo): Promise<string | undefined> => gitStatus({ cwd, env: env() });

beforeEach(() => {
  repo = temporaryFolder();
  git("init", "-q");
  git("config", "filter.lfs.clean", "tr a-z A-Z");
  writeFileSync(join(repo, ".gitattributes"), "*.bin filter=lfs\n");
});

test("the status notes that files with a filter may be unchanged", async () => {
  for (const name of ["a.txt", "x y.bin"]) writeFileSync(join(repo, name), "hello\n");
  // One that is as young as the index is always looked into.
  utimesSync(join(repo, "x y.bin"), 2, 2);
  git("add", ".");
  git("commit", "-q", "-m", "first");
  mkdirSync(join(repo, "below"));
  writeFileSync(join(repo, "a.txt"), "changed\n");
  expect(await snapshot()).toContain("Status:\n M a.txt");
  // As in a copy: the index has another time for it.
  utimesSync(join(repo, "x y.bin"), 1, 1);
  expect(await snapshot()).toContain(doubt);
  expect(await snapshot(join(repo, "below"))).toContain(doubt);
});

test("the status has that note even if git's answer is cut", async () => {
  const folder = join(...Array<string>(4).fill("long".repeat(60)));
  const paths = Array.from({ length: 300 }, (_, at) => join(repo, folder, `${at}.bin`));
  mkdirSync(join(repo, folder), { recursive: true });
  for (const path of paths) writeFileSync(path, "hello\n");
  git("-c", "filter.lfs.clean=", "add", ".");
  git("commit", "-q", "-m", "first");
  for (const path of paths) writeFileSync(path, "hello, you\n");
  expect(await snapshot()).toContain(doubt);
});

// Seen with 1,500 changed files of long names, none of which has a filter: git's answer was cut in the word that says so.
test('an "unspecified" that is cut in the middle is not taken for a filter', async () => {
  const program = join(repo, "cut");
  writeFileSync(program, "#!/bin/sh\nprintf 'a\\0filter\\0unspecified\\0b\\0filter\\0unspec'\n", { mode: 0o755 });
  const place = { cwd: repo, top: repo, program, env: env(), limitMs: 10_000 };
  expect(await listsFilteredFile(" M a\n M b\n", place)).toBe(false);
});
