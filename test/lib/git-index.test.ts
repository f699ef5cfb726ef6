import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trackedFiles } from "../../src/lib/git-index.ts";
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
