// The operand of git checkout: a branch if git knows no file of that name, or else a file that git writes.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  const git = (...args: string[]) => execFileSync("git", args, { cwd: place.cwd });
  for (const folder of ["secrets", "sub", "gone/secrets"]) mkdirSync(join(place.cwd, folder), { recursive: true });
  for (const file of ["secrets/key", "gone/secrets/key"]) writeFileSync(join(place.cwd, file), "x\n");
  git("init", "-q");
  git("add", "gone");
  rmSync(join(place.cwd, "gone"), { recursive: true });
});
afterAll(() => place.remove());

const decided = (command: string) =>
  bash(
    make(place, { allow: ["Bash"], deny: ["Read(./secrets/**)", "Edit(**/*-secret)"], mode: "bypassPermissions" }),
    place.cwd,
    command,
  );

test.each([
  "git checkout feature/secrets",
  "git checkout -q fix-secret && make",
  "git fetch && git checkout --detach origin/fix-secret",
  "git checkout main && git checkout feature/secrets/two",
  "cd sub && git checkout fix-secret",
])("git checkout of a branch named like a guarded file is allowed: %s", async (command) => {
  expect(await decided(command)).toBe("allow");
});

test.each([
  "git checkout secrets",
  "git checkout gone/secrets/key",
  "git checkout gone/secrets",
  "git checkout Gone/secrets",
  "git checkout -- other/secrets/key",
  "git checkout main other/secrets/key",
  "git checkout other/secrets/key; git checkout HEAD other/secrets/key",
  "git checkout other/secrets/key && tool other/secrets/key",
  "git checkout --pathspec-from-file other/secrets/key",
  "git -C sub checkout other/secrets/key",
  "GIT_DIR=x git checkout other/secrets/key",
  "git update-index --add --cacheinfo 100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,b/secrets && git checkout b/secrets",
  "git reset other -- . && git checkout b/secrets",
])("git checkout of a name that may be a guarded file is denied: %s", async (command) => {
  expect(await decided(command)).toBe("deny");
});
