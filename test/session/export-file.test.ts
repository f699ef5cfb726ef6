// A document appears whole or not at all, also where another is replaced.
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writePieces } from "../../src/session/sessions/export-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-export-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function* broken(): Generator<string> {
  yield "half";
  throw new Error("the transcript broke off");
}

test.each([
  [false, []],
  [true, ["talk.md"]],
])("what breaks off leaves nothing, and the file that was to be replaced as it was (%s)", (force, left) => {
  const file = join(folder, "talk.md");
  if (force) writeFileSync(file, "before");
  expect(() => writePieces(file, broken(), { force })).toThrow("the transcript broke off");
  expect(readdirSync(folder)).toEqual(left);
  if (force) expect(readFileSync(file, "utf8")).toBe("before");
});

test("a file is replaced where it really is", () => {
  writeFileSync(join(folder, "talk.md"), "before");
  symlinkSync("talk.md", join(folder, "link"));
  writePieces(join(folder, "link"), ["new"], { force: true });
  expect(readFileSync(join(folder, "talk.md"), "utf8")).toBe("new");
  expect(readdirSync(folder, { withFileTypes: true }).map((entry) => [entry.name, entry.isSymbolicLink()])).toEqual([
    ["link", true],
    ["talk.md", false],
  ]);
});
