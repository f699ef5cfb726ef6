// A long line takes little time, however its words, calls or copies follow each other. With time that grew with the square of the
// length, these tests would exceed the runner's limit.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

const deny = ["Bash(zap:*)", "Edit(guarded.txt)"];
const repeated = (text: string): string => text.repeat(100_000 / text.length);
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
  ["names of interpreters", `${repeated("python3 ")}<<'X'\nx\nX\nzap x`],
])("%s in a long line do not hide a denied command or take long", async (_title, command) => {
  expect(await bash(make(place, { mode: "bypassPermissions", deny }), place.cwd, command)).toBe("deny");
});
