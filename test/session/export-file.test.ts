// A document appears whole or not at all, also where another is replaced.
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { writePieces } from "../../src/session/sessions/export-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder = "";
beforeEach(() => {
  folder = temporaryFolder();
});

function* broken(): Generator<string> {
  yield "half";
  throw new Error("the transcript broke off");
}

test.each([
  [false, []],
  [true, ["talk.md"]],
])("a failed export leaves no partial file and does not touch the one to be replaced (%s)", (force, left) => {
  const file = join(folder, "talk.md");
  if (force) writeFileSync(file, "before");
  expect(() => writePieces(file, broken(), { force })).toThrow("the transcript broke off");
  expect(readdirSync(folder)).toEqual(left);
  if (force) expect(readFileSync(file, "utf8")).toBe("before");
});

test("an export appears under its name only once it is complete", () => {
  const file = join(folder, "talk.md");
  const seen: boolean[] = [];
  const pieces = function* (): Generator<string> {
    yield "one ";
    seen.push(existsSync(file));
    yield "two";
  };
  writePieces(file, pieces(), {});
  expect(seen).toEqual([false]);
  expect(readFileSync(file, "utf8")).toBe("one two");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(() => writePieces(file, pieces(), {})).toThrow("is there already, and is not replaced");
  expect(seen).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(["talk.md"]);
});

test("an export through a link replaces the link's target", () => {
  writeFileSync(join(folder, "talk.md"), "before");
  symlinkSync("talk.md", join(folder, "link"));
  writePieces(join(folder, "link"), ["new"], { force: true });
  expect(readFileSync(join(folder, "talk.md"), "utf8")).toBe("new");
  expect(readdirSync(folder, { withFileTypes: true }).map((entry) => [entry.name, entry.isSymbolicLink()])).toEqual([
    ["link", true],
    ["talk.md", false],
  ]);
});
