// Which words an option takes: told wrongly, a file is read or something made that nobody was asked about.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  writeFileSync(join(place.cwd, "a.txt"), "a\n");
});
afterAll(() => place.remove());

test.each([
  "od -w /etc/shadow",
  "column -n -c /etc/shadow",
  "head a.txt -n /etc/shadow",
  "cut a.txt -c 1 -d ../x",
  "git branch --abbrev new",
  "git blame -S/etc/shadow a.txt",
  "git blame -S../x a.txt",
  "git config a.b --bool",
  "git config core.hooksPath --type=x",
  "git config a.b --",
  "git config a.b --type a.b",
  "git config a.b c",
  "git config a.b --unset",
  "xxd a.txt -b",
  "xxd a.txt --",
])("is asked about: %s", async (command) => {
  expect(await bash(make(place), place.cwd, command)).toBe("ask");
});

test.each([
  "od -w a.txt",
  "od -w16 a.txt",
  "column -t -s , a.txt",
  "head a.txt -n 5",
  "cut a.txt -d / -f 1",
  "xxd -c 8 -g1 a.txt",
  "git branch --abbrev=8 -v",
  "git diff -U5 a.txt",
  "git config --bool a.b",
])("runs unasked: %s", async (command) => {
  expect(await bash(make(place), place.cwd, command)).toBe("allow");
});
