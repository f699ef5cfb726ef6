// A long line takes little time, however its words, calls or copies follow each other. With time that grew with the square of the
// length, these tests would exceed the runner's limit.
import type { Dirent } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { entriesOf } from "../../src/lib/path-status.ts";
import { buildLine } from "../../src/permissions/files/command-line.ts";
import { diskPaths } from "../../src/permissions/paths/path-forms.ts";
import { readCommand } from "../../src/permissions/shell/words.ts";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

const deny = ["Bash(zap:*)", "Edit(guarded.txt)"];
const repeated = (text: string): string => text.repeat(100_000 / text.length);
const numbered = (textAt: (at: number) => string): string =>
  Array.from({ length: 100_000 / textAt(999).length }, (_, at) => textAt(at)).join("");
const copies = Array.from({ length: 7_000 }, (_, at) => `cp a${at} a${at + 1}`);

test.each([
  ["copies of one file", `${repeated("cp a b; ")}zap x`],
  ["a chain of copies", `${copies.join("; ")}; zap x`],
  ["a chain of copies in the other order", `${copies.toReversed().join("; ")}; zap x`],
  ["names with dots in code", `python3 -c '${repeated("a.")}system("zap x")'`],
  ["blanks after the name of a call that reads", `python3 -c 'require ${repeated(" ")}; os.system("zap x")'`],
  ["nested calls", `python3 -c '${repeated("run(")}"zap x")'`],
  ["a key of cargo", `cargo --config '${repeated("alias")}'; zap x`],
  ["files that are printed for a script", `${repeated("echo 'x' > a.py; ")}python3 a.py; zap x`],
  ["empty lines", `${repeated("\n")}zap x`],
  ["variables that each hold a program", `${numbered((at) => `A${at}=zip; $A${at} x; `)}zap x`],
  ["uses of a variable that changes", `${numbered((at) => `X=v${at}; cat $X; `)}zap x`],
  ["a variable that doubles", `A=a; ${repeated("A=$A$A; ")}echo $A; zap x`],
  ["here-string operators", `echo ${repeated("<")}; zap x`],
  ["options of the shell", `if a; then ${repeated("set do ")}; fi; zap x`],
  ["sequences in braces", `echo ${repeated("{1..9}")}; zap x`],
  ["wrappers in front of each other", `${repeated("time ")}ls; zap x`],
  ["more wrappers than can be followed", `${"time ".repeat(25_000)}zap x`],
  ["more words for find than can be followed", `find . -exec ${"a ".repeat(49_000)}`.repeat(2) + "-exec zap x"],
  ["folders that tar is to work in", `tar cf x ${repeated("-C a b ")}; zap x`],
  ["unknown folders that tar is to work in", `tar cf x ${repeated("-C 'a b' b ")}; zap x`],
  ["empty lines in code", `python3 -c '${repeated("\n")}'; zap x`],
  ["numbers of lines in a script", `ed x <<'X'\n${repeated("1\n")}X\nzap x`],
  ["names of interpreters", `${repeated("python3 ")}<<'X'\nx\nX\nzap x`],
])("%s in a long line do not hide a denied command or take long", async (_title, command) => {
  expect(await bash(make(place, { mode: "bypassPermissions", deny }), place.cwd, command)).toBe("deny");
});

test("each word of find that may be -exec is followed, but not more words behind them than a line of a thousand words has", () => {
  const followed = (count: number) => {
    const { commands, opaque } = readCommand(`find . ${'"$X" '.repeat(count)} -exec zap {} +`);
    const programs = commands.map(({ words: [program] }) => program?.text);
    const words = commands.reduce((sum, command) => sum + command.words.length, 0);
    return { programs, words, isLimited: opaque === "it holds too much to follow" };
  };
  expect(followed(20)).toMatchObject({ isLimited: false });
  expect(followed(20).programs).toHaveLength(22);
  expect(followed(1_000).isLimited).toBe(true);
  expect(followed(1_000).words).toBeLessThan(15_000);
  expect(followed(1_000).programs).toContain("zap");
});

test("what nested calls of find run is followed once, not once for each way in which they may be read", () => {
  const { commands, opaque } = readCommand(`${"find $X -exec ".repeat(14)}zap`);
  expect(commands.map(({ words: [program] }) => program?.text)).toContain("zap");
  expect(commands.length).toBeLessThan(40);
  expect(opaque).toBe("it holds too much to follow");
});

test("a cd that is repeated, to whatever a pattern matches, looks into each folder once", () => {
  const own = makePlace("a/b/x", "c/d/x");
  const listed: string[] = [];
  const list = (folder: string): Dirent[] => {
    listed.push(folder);
    return entriesOf(folder);
  };
  const command = `${"cd *; ".repeat(40)}cat x`;
  const { starts } = buildLine(
    readCommand(command),
    command,
    own.cwd,
    { home: own.home, reader: { ...diskPaths, list } },
    [],
  );
  expect(starts).toContain(join(own.cwd, "c/d"));
  expect(listed).toHaveLength(new Set(listed).size);
  own.remove();
});

test("words of a long value count as often as they are used, and too many of them make the check fail", async () => {
  const permissions = make(place, { mode: "bypassPermissions" });
  const words = (count: number): string => `A="/ ${"x ".repeat(count)}"; `;
  for (const command of [`${words(70_000)}rm -rf $A`, `${words(40_000)}rm -rf ${"$A ".repeat(20_000)}`])
    expect(await bash(permissions, place.cwd, command)).toBe("deny");
  expect(await bash(permissions, place.cwd, `${words(3_000)}rm -rf $A`)).toBe("ask");
  const guarding = make(place, { mode: "bypassPermissions", deny });
  for (const count of [1, 20_000])
    expect(await bash(guarding, place.cwd, `${words(40_000)}cat ${"x$A ".repeat(count)}; zap x`)).toBe("deny");
});

test("numbers in a short option of perl do not take long", async () => {
  const command = (option: string): string => `perl -${option} guarded.txt`;
  const permissions = make(place, { mode: "bypassPermissions", deny });
  expect(await bash(permissions, place.cwd, command("0X".repeat(100) + "z"))).toBe("allow");
  expect(await bash(permissions, place.cwd, command("0X".repeat(100) + "i"))).toBe("deny");
  for (const option of ["0x41i", "0X10Xbbi.old", "pi", "w0pi", "0xffpi"])
    expect(await bash(permissions, place.cwd, command(option)), option).toBe("deny");
});

test("a line that is too long to be looked through needs a person, also without a rule in the mode bypassPermissions", async () => {
  const command = `: '${"x".repeat(200_000)}'`;
  expect(await bash(make(place, { mode: "bypassPermissions" }), place.cwd, command)).toBe("ask");
  expect(await bash(make(place, { mode: "bypassPermissions", deny }), place.cwd, command)).toBe("deny");
  expect(await bash(make(place, { allow: ["Bash"], deny: ["Edit(guarded.txt)"] }), place.cwd, command)).toBe("ask");
  expect(await bash(make(place, { mode: "plan", allow: ["Bash"] }), place.cwd, command)).toBe("deny");
  expect(await bash(make(place, { mode: "bypassPermissions" }), place.cwd, command.slice(1_000, 150_000))).toBe(
    "allow",
  );
});
