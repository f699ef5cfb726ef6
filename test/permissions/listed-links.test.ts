// Listings that follow links show the names of what lies outside, as a listing of the outside does.
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  for (const folder of ["src", "docs", "lib"]) mkdirSync(join(place.cwd, folder));
  mkdirSync(join(place.root, "other"));
  writeFileSync(join(place.root, "other/theirs.txt"), "x\n");
  symlinkSync("../../other", join(place.cwd, "src/out"));
  symlinkSync("../docs", join(place.cwd, "lib/docs"));
  symlinkSync("../../other/theirs.txt", join(place.cwd, "lib/file.txt"));
  for (const folder of ["first", "second"]) mkdirSync(join(place.cwd, folder));
  symlinkSync("../src", join(place.cwd, "first/src"));
  symlinkSync("../lib", join(place.cwd, "second/lib"));
});
afterAll(() => place.remove());

test.each([
  "find -L . -type f",
  "find -L",
  "find . -follow",
  "find -L src -name '*.txt'",
  "ls -RL",
  "ls -R --dereference src",
  "ls -LR s*",
  "du -aL",
  "ls | du -aL",
  "tree -l src",
  "find -L first",
  "ls -RL first",
])("%s is asked about, because a link leads its listing out of the working directories", async (command) => {
  expect(await bash(make(place), place.cwd, command)).toBe("ask");
  if (!command.startsWith("tree"))
    expect(execFileSync("bash", ["-c", command], { cwd: place.cwd, encoding: "utf8" })).toContain("theirs.txt");
});

test.each([
  "find . -type f",
  "find -L docs lib",
  "find docs -follow -name x",
  "ls -R",
  "ls -L src",
  "ls -RL lib docs",
  "du -sh",
  "du -aL lib",
  "tree",
  "tree -l lib",
  "find -L second",
])("%s needs no question, because its listing stays inside", async (command) => {
  expect(await bash(make(place), place.cwd, command)).toBe("allow");
});
