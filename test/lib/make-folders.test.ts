import fs, { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { makeFolders } from "../../src/lib/make-folders.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("makeFolders", () => {
  test("creates the folders with the requested mode, and tells whether they are new", () => {
    const path = join(temporaryFolder(), "a", "b", "c");
    expect(makeFolders(path, 0o700)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    expect(makeFolders(path, 0o700)).toBe(false);
  });

  test("creates a folder through a link to a folder", () => {
    const root = temporaryFolder();
    makeFolders(join(root, "real"));
    symlinkSync("real", join(root, "link"));
    expect(makeFolders(join(root, "link", "a"))).toBe(true);
    expect(existsSync(join(root, "real", "a"))).toBe(true);
  });

  test("throws the file system's error if a file or a broken link is in the way", () => {
    const root = temporaryFolder();
    writeFileSync(join(root, "file"), "");
    symlinkSync("nothing", join(root, "dangling"));
    expect(() => makeFolders(join(root, "file"))).toThrow(/EEXIST/u);
    expect(() => makeFolders(join(root, "file", "a"))).toThrow(/ENOTDIR/u);
    expect(() => makeFolders(join(root, "dangling", "a"))).toThrow(/EEXIST/u);
  });

  test("does not fail if another process creates the folder right after the check", () => {
    const path = join(temporaryFolder(), "a");
    const look = vi.spyOn(fs, "statSync").mockImplementationOnce(() => {
      mkdirSync(path);
      return undefined;
    });
    onTestFinished(() => {
      look.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    expect(() => makeFolders(path)).not.toThrow();
    expect(statSync(path).isDirectory()).toBe(true);
  });

  test.skipIf(!existsSync("/proc/self"))("ends with an error in a file system that allows no folders", () => {
    expect(() => makeFolders("/proc/pawl/a/b")).toThrow(/ENOENT/u);
  });
});
