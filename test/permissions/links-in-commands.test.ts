// Where the words of a command lead once links are followed. Uses the real shell, so that each way out is real.
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { editedPaths } from "../../src/permissions/files/edit-programs.ts";
import { literalWord } from "../../src/permissions/shell/read-words.ts";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  for (const folder of ["a/b", "src", "other/below"]) mkdirSync(join(place.cwd, folder), { recursive: true });
  mkdirSync(join(place.root, "src"));
  symlinkSync("../..", join(place.cwd, "a/b/top"));
  symlinkSync("other/below", join(place.cwd, "link"));
  for (const name of ["x.txt", "src/x.txt"]) writeFileSync(join(place.root, name), "outside\n");
  writeFileSync(join(place.cwd, "other/x.txt"), "guarded\n");
  writeFileSync(join(place.cwd, "src/y.txt"), "inside\n");
});
afterAll(() => place.remove());

const run = (command: string, cwd = place.cwd) =>
  execFileSync("bash", ["-c", `cd ${cwd}; ${command}`], { encoding: "utf8" });

test.each([
  "cat a/b/top/../x.txt",
  "cat < a/b/top/../x.txt",
  "cat a/b/../b/top/../src/x.txt",
  "cd a/b/top/../src && cat x.txt",
])("%s is asked about, because .. after a link is the folder above its target", async (command) => {
  expect(await bash(make(place), place.cwd, command)).toBe("ask");
  if (!command.startsWith("cd")) expect(run(command)).toBe("outside\n");
});

test(".. is resolved like this from a linked working directory, and for writing", async () => {
  const cwd = join(place.cwd, "a/b/top");
  expect(await bash(make(place), cwd, "cat ../x.txt")).toBe("ask");
  expect(run("cat ../x.txt", cwd)).toBe("outside\n");
  const edits = make(place, { mode: "acceptEdits" });
  for (const command of ["touch a/b/top/../z", "echo > a/b/top/../z", "cp src/y.txt a/b/top/.."])
    expect(await bash(edits, place.cwd, command), command).toBe("ask");
  expect(await bash(edits, place.cwd, "touch src/../z")).toBe("allow");
});

test("writing a file with hard links is asked about, since another name may be protected", async () => {
  mkdirSync(join(place.cwd, ".git"), { recursive: true });
  writeFileSync(join(place.cwd, ".git/config"), "[core]\n");
  linkSync(join(place.cwd, ".git/config"), join(place.cwd, "notes.txt"));
  const edits = make(place, { mode: "acceptEdits" });
  for (const command of ["echo x > notes.txt", "echo x >> notes.txt", "cp src/y.txt notes.txt", "ls | tee notes.txt"])
    expect(await bash(edits, place.cwd, command), command).toBe("ask");
  for (const command of ["cat notes.txt", "mv notes.txt other/notes.txt", "touch notes.txt", "echo x > src/y.txt"])
    expect(await bash(edits, place.cwd, command), command).toBe("allow");
  run("echo x > notes.txt");
  expect(run("cat .git/config")).toBe("x\n");
  rmSync(join(place.cwd, ".git"), { recursive: true });
});

/** Without a copy beside it, where the tests run. */
const plainly = process.platform === "linux" ? "-i" : "-i ''";

test("sed -i is read as the system's sed reads it: on a Mac, the next word is a suffix", () => {
  const edits = (line: string, platform: NodeJS.Platform): string[] | undefined =>
    editedPaths(
      line.split(" ").map((text) => ({ ...literalWord(text.replace("''", "").replace("_", " ")), source: text })),
      platform,
    )?.map(({ word }) => word.text);
  expect(edits("sed -i p w_../x a", "linux")).toEqual(["w ../x", "w ../x", "a", "a"]);
  expect(edits("sed -ni -e 1,5p a", "linux")).toEqual(["a", "a"]);
  expect(edits("sed --in-place /^#/d a", "linux")).toEqual(["a", "a"]);
  expect(edits("sed -i p w_../x a", "darwin")).toBeUndefined();
  expect(edits("sed -i s/a/b/ a", "darwin")).toBeUndefined();
  expect(edits("sed -i '' s/a/b/ a", "darwin")).toEqual(["a", "a"]);
  expect(edits("sed -i '' w_x a", "darwin")).toBeUndefined();
  expect(edits("sed -i.b s/a/b/ a", "darwin")).toEqual(["a", "a", "a.b"]);
});

test("a sed label that may continue after a brace is asked about", async () => {
  for (const command of ["sed ':a}s/x;w x/z/' src/y.txt", "sed -n 'ba}s,x;e id,z,' src/y.txt"])
    expect(await bash(make(place), place.cwd, command), command).toBe("ask");
  const usual = "sed '/a/{s/a/b/;t};:a;$!{N;ba};s/\\n/ /' src/y.txt";
  expect(await bash(make(place), place.cwd, usual)).toBe("allow");
});

test("tee and a plain sed -i count as edits of the files they name in acceptEdits mode", async () => {
  const edits = make(place, { mode: "acceptEdits", allow: ["Bash(npm test)"], deny: ["Edit(src/kept.txt)"] });
  for (const command of [
    "ls | tee src/new.txt",
    "npm test 2>&1 | tee -a test.log",
    `sed ${plainly} s/x/y/ src/y.txt`,
    "sed -i.bak -E 's/(x)/\\1/g' src/y.txt",
    `sed -n ${plainly} -e 1,5p src/y.txt`,
    "sed --in-place=.old '/^#/d' src/y.txt",
  ])
    expect(await bash(edits, place.cwd, command), command).toBe("allow");
  for (const command of [
    "ls | tee .envrc",
    "ls | tee /etc/x",
    "ls | tee",
    "ls | tee --output-error=exit x",
    "sed -i s/x/y/ .git/config",
    "sed -i s/x/y/ CLAUDE.md",
    "sed -i s/x/y/ /etc/hosts",
    "sed -i s/x/y/ .env",
    "sed -i s/x/y/e src/y.txt",
    "sed -i 's/x/y/w z' src/y.txt",
    "sed -i s/x/y/ src/*",
    "sed -i../../x s/x/y/ src/y.txt",
    "sed -i -f script src/y.txt",
    "gsed -i s/x/y/ src/y.txt",
  ])
    expect(await bash(edits, place.cwd, command), command).toBe("ask");
  for (const command of ["ls | tee src/kept.txt", `sed ${plainly} s/x/y/ src/kept.txt`])
    expect(await bash(edits, place.cwd, command), command).toBe("deny");
  for (const command of ["ls | tee src/new.txt", "sed -i s/x/y/ src/y.txt"])
    expect(await bash(make(place), place.cwd, command), command).toBe("ask");
});

test("a deny rule matches where .. after a link leads", async () => {
  const denied = make(place, { deny: ["Read(./other/x.txt)"] });
  expect(await bash(denied, place.cwd, "cat link/../x.txt")).toBe("deny");
  expect(run("cat link/../x.txt")).toBe("guarded\n");
});

test("cd is followed only if its own words determine the folder", async () => {
  const command = `CDPATH=${place.root} cd src && cat x.txt`;
  expect(await bash(make(place), place.cwd, command)).toBe("ask");
  expect(run(command)).toContain("outside\n");
  const wrapped = make(place, { allow: ["Bash(cd *)"] });
  expect(await bash(wrapped, place.cwd, "command cd .. && cat x.txt")).toBe("ask");
  expect(run("command cd .. && cat x.txt")).toBe("outside\n");
  const edits = make(place, { allow: ["Bash(cd *)"], mode: "acceptEdits" });
  for (const command of ["command builtin cd .. && rm x.txt", "command command cd .. && touch z"])
    expect(await bash(edits, place.cwd, command), command).toBe("ask");
  expect(run("command builtin cd .. && cat x.txt")).toBe("outside\n");
  expect(await bash(make(place), place.cwd, "cd src && cat y.txt")).toBe("allow");
  expect(await bash(make(place), place.cwd, "cd a/../src && cat y.txt")).toBe("allow");
});

test("cd without a word leads home, and with two words to an unknown folder", async () => {
  for (const command of ["cd && cat x.txt", "cd", "cd src a && cat y.txt", "cd src; cd", "cd src; cd .."])
    expect(await bash(make(place), place.cwd, command), command).toBe("ask");
  const atHome = make(place, { additionalDirectories: [place.home] });
  expect(await bash(atHome, place.cwd, "cd && cat x.txt")).toBe("allow");
  expect(await bash(atHome, place.cwd, "cd && cat ../x.txt")).toBe("ask");
  expect(await bash(atHome, place.cwd, "cd src a && cat y.txt")).toBe("ask");
});

test("a command before a cd in a loop is asked about, since the next round runs in the new folder", async () => {
  const command = "for round in 1 2; do cat x.txt; cd a/b/top; done";
  expect(await bash(make(place), place.cwd, "cat x.txt; cd a")).toBe("allow");
  expect(await bash(make(place), place.cwd, command)).toBe("ask");
  expect(await bash(make(place), place.cwd, "while true; do cat y.txt; cd src; done")).toBe("ask");
});

test("commands beside one that moves a link are asked about", async () => {
  const edits = make(place, { mode: "acceptEdits" });
  for (const command of [
    "mv a/b/top q && cat q/x.txt",
    "mv a/b q && cat q/top/x.txt",
    "nice mv a/b q && cat q/top/x.txt",
  ])
    expect(await bash(edits, place.cwd, command), command).toBe("ask");
  for (const command of ["mv a/b/top q", "mv src q && cat q/y.txt", "mv src/y.txt z.txt && cat z.txt"])
    expect(await bash(edits, place.cwd, command), command).toBe("allow");
  mkdirSync(join(place.cwd, "c"));
  symlinkSync("..", join(place.cwd, "c/up"));
  expect(run("mv c/up q && cat q/x.txt")).toBe("outside\n");
});

test("moving a folder to where CI looks is asked about", async () => {
  const edits = make(place, { mode: "acceptEdits" });
  expect(await bash(edits, place.cwd, "mv src .github")).toBe("ask");
  expect(await bash(edits, place.cwd, "mv src github")).toBe("allow");
});

test.each([
  "for i in 1 2; do touch made; cd .idea || true; done",
  "for i in 1 2; do touch made; if true; then cd .idea || true; fi; done",
])("%s is asked about, because its second round runs elsewhere", async (command) => {
  mkdirSync(join(place.cwd, ".idea"), { recursive: true });
  expect(await bash(make(place, { mode: "acceptEdits" }), place.cwd, command)).toBe("ask");
  run(command);
  expect(run("ls .idea")).toBe("made\n");
  rmSync(join(place.cwd, ".idea"), { recursive: true });
});

test("a command that runs only after a successful cd is judged in the new folder, others in both", async () => {
  const edits = make(place, { mode: "acceptEdits" });
  for (const command of [
    "cd src && cat ../other/x.txt",
    "cd src && ls && cd .. && touch z",
    "ls && cd src && touch ../z",
  ])
    expect(await bash(edits, place.cwd, command), command).toBe("allow");
  for (const command of [
    "cd src; cat ../x.txt",
    "cd src || cat ../x.txt",
    "cd src && ls || cat ../x.txt",
    "cd src && ls; cat ../x.txt",
    "cd src && ls & cat ../x.txt",
    "cd src && ls | cat ../x.txt",
    "! cd src && cat ../x.txt",
    "ls | cd src && cat ../x.txt",
    'cd a && echo "$(cd b)" && cat ../../x.txt',
    "cd src && cat ../../x.txt",
    "cd src && cd .. && cd .. && cat x.txt",
  ])
    expect(await bash(edits, place.cwd, command), command).toBe("ask");
});

test("new links that contain their own targets do not make judging endless", async () => {
  const guarded = make(place, { mode: "bypassPermissions", deny: ["Edit(other/x.txt)"] });
  const command = "link a b c d e f .; grep -r x .";
  expect(await bash(guarded, place.cwd, command)).toBe("deny");
});
