// Git commands that hand on the whole content of a repository, in which a rule guards a file that git tracks.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "secrets"));
  for (const name of [".env", "secrets/key", "a.txt"]) writeFileSync(join(place.cwd, name), "x\n");
  for (const words of [
    ["init", "-q"],
    ["add", "-f", "."],
  ])
    execFileSync("git", words, { cwd: place.cwd });
});
afterAll(() => place.remove());

const deny = ["Read(.env)", "Read(secrets/**)"];
const asked = (command: string) => bash(make(place, { allow: ["Bash"], deny }), place.cwd, command);
const inBypass = (command: string, rules = deny) =>
  bash(make(place, { mode: "bypassPermissions", deny: rules }), place.cwd, command);

test.each([
  "git bundle create - --all",
  "git bundle create x.bundle HEAD",
  "git archive HEAD:secrets",
  "git archive HEAD",
  "git cat-file --batch-all-objects --batch",
  "git cat-file --batch-command < x",
  "git pack-objects --all --stdout",
  "git fast-export --all",
  "git format-patch --root --stdout",
  "git clone . ../x",
  "git clone --bare $PWD ../x",
  "git push ../x HEAD",
  "git push --mirror /tmp/x",
  "git send-email HEAD~1",
  "git daemon --export-all",
  "git upload-pack .",
  "git upload-archive .",
])("git is refused in bypass mode, and asked about otherwise, if it hands on a guarded file: %s", async (command) => {
  expect(await asked(command)).not.toBe("allow");
  expect(await inBypass(command)).toBe("deny");
  expect(await inBypass(command, ["Read(~/.ssh/**)", "Edit(.env)"])).toBe("allow");
});

test.each([
  "git worktree add ../x HEAD",
  "git merge-tree HEAD HEAD~1",
  "git unpack-file 0123abc",
  "git request-pull -p HEAD~1 .",
])("git is asked about, but not refused, if it commonly copies a guarded file: %s", async (command) => {
  expect(await asked(command)).toBe("ask");
  expect(await inBypass(command)).toBe("allow");
});

test.each([
  "git bundle verify x.bundle",
  "git archive HEAD a.txt",
  "git cat-file --batch-check < x",
  "git clone https://example.com/x.git",
  "git clone git@example.com:a/b.git sub",
  "git push",
  "git push --force-with-lease",
  "git push secrets main",
  "git push origin main",
  "git worktree list",
  "git worktree remove ../x",
])("git is not asked about if it hands on no guarded file: %s", async (command) => {
  expect(await asked(command)).toBe("allow");
});
