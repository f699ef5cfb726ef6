// What commands read without naming it. Uses the real programs, so that each case is real.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  for (const folder of ["src", "out", "keys"]) mkdirSync(join(place.cwd, folder));
  for (const name of [".env", "keys/server.key", "keys/id_rsa"]) writeFileSync(join(place.cwd, name), "SECRET\n");
  writeFileSync(join(place.root, "outside"), "SECRET\n");
  writeFileSync(join(place.root, "words"), "SECRET SECRET\n");
  symlinkSync("../../outside", join(place.cwd, "out/notes.txt"));
  symlinkSync("a.txt", join(place.cwd, "src/b.txt"));
  writeFileSync(join(place.cwd, "src/a.txt"), "plain\n");
  writeFileSync(join(place.cwd, "src/c.txt"), "other\n");
});
afterAll(() => place.remove());

const run = (command: string) =>
  execFileSync("bash", ["-c", `${command} 2>&1 </dev/null || true`], { cwd: place.cwd, encoding: "utf8" });

test.each([
  "cat out/*.txt",
  "cat keys/id_*",
  "cat keys/server.k*",
  "grep -R SECRET out",
  "diff -N out src",
  "strings @../words",
  "strings -n @../words src/a.txt",
])("%s is asked about, because it shows a file that would be asked about by name", async (command) => {
  expect(await bash(make(place), place.cwd, command)).toBe("ask");
  expect(run(command)).toContain("SECRET");
});

test.each(["grep -r SECRET", "grep -d recurse SECRET .", "diff -N . src", "cat src/a.txt | grep -r SECRET"])(
  "%s is asked about if a rule guards a file there",
  async (command) => {
    const denied = make(place, { deny: ["Read(.env)"] });
    expect(await bash(denied, place.cwd, command)).toBe("ask");
    expect(run(command)).toContain("SECRET");
  },
);

test("rg is asked about if a rule guards a file there, unless it reads its input", async () => {
  const denied = make(place, { deny: ["Read(.env)"] });
  for (const command of ["rg -uu SECRET", "rg SECRET | head", "cat src/a.txt | rg SECRET </dev/null"])
    expect(await bash(denied, place.cwd, command), command).toBe("ask");
  for (const command of [
    "cat src/a.txt | rg x",
    "rg x src/a.txt",
    "diff src/a.txt src/c.txt",
    "cat src/a.txt | grep x",
  ])
    expect(await bash(denied, place.cwd, command), command).toBe("allow");
});

test("letters in one word are read as the program reads them: xxd and tree would write a file", async () => {
  expect(await bash(make(place), place.cwd, "xxd -ac src/a.txt src/c.txt")).toBe("ask");
  run("xxd -ac src/a.txt src/c.txt");
  expect(readFileSync(join(place.cwd, "src/c.txt"), "utf8")).toContain("706c");
  expect(await bash(make(place), place.cwd, "tree -Lo 2 out.txt")).toBe("ask");
  expect(await bash(make(place), place.cwd, "tree -Po x out.txt")).toBe("ask");
  for (const command of ["xxd -c 4 src/a.txt", "xxd -c4 src/a.txt", "tree -aL 2", "tree -L2"])
    expect(await bash(make(place), place.cwd, command), command).toBe("allow");
});

test("commands that find and follow nothing else run unasked", async () => {
  for (const command of ["cat src/*", "wc -l src/*.txt", "grep -R x src", "diff src keys/none", "cat none*"])
    expect(await bash(make(place), place.cwd, command), command).toBe("allow");
});
