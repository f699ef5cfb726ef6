// Folders that are held while something is put into them, on systems that name no handle's path.
import fs, { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { holdFolder, MovedError } from "../../src/lib/held-folder.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-held-")));
  vi.spyOn(fs, "readlinkSync").mockImplementation(() => {
    throw Object.assign(new Error("no /proc"), { code: "ENOENT" });
  });
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(root, { recursive: true });
});

test("creates a new folder whose name the disk stores decomposed, as HFS+ does", () => {
  const { native } = fs.realpathSync;
  vi.spyOn(fs.realpathSync, "native").mockImplementation((path) => String(native(path)).normalize("NFD"));
  const folder = join(root, "gr\u00f6\u00dfe", "b");
  holdFolder(folder).close();
  expect(existsSync(folder)).toBe(true);
});

test("refuses a folder whose path leads elsewhere by now", () => {
  mkdirSync(join(root, "outside"));
  symlinkSync("outside", join(root, "a"));
  expect(() => holdFolder(join(root, "a", "b"))).toThrow(MovedError);
});
