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

test.each(["uniq --skip-f 1 x a.txt", "uniq --skip-fields 1 x a.txt", "split --lin 2 x a.txt"])(
  "the value of a shortened option is no file, and what stands behind it is held against deny rules: %s",
  async (command) => {
    const permissions = make(place, { mode: "bypassPermissions", deny: ["Edit(a.txt)", "Edit(a.txtaa)"] });
    expect(await bash(permissions, place.cwd, command)).toBe("deny");
  },
);

test("a shortened option is asked about where only listed ones run unasked", async () => {
  for (const command of ["uniq --skip-f 1 a.txt", "git log --max-c 3", "head --lin 3 a.txt"])
    expect(await bash(make(place), place.cwd, command)).toBe("ask");
});
