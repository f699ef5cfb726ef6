import fs, { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { makeFolders } from "../../src/lib/make-folders.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "pawl-folders-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("folders down to a path", () => {
  test("are made with the mode asked for, and told to be new", () => {
    const path = join(folder(), "a", "b", "c");
    expect(makeFolders(path, 0o700)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    expect(makeFolders(path, 0o700)).toBe(false);
  });

  test("through a link to a folder", () => {
    const root = folder();
    makeFolders(join(root, "real"));
    symlinkSync("real", join(root, "link"));
    expect(makeFolders(join(root, "link", "a"))).toBe(true);
    expect(existsSync(join(root, "real", "a"))).toBe(true);
  });

  test("a file in the way, and a link to nothing, are the file system's errors", () => {
    const root = folder();
    writeFileSync(join(root, "file"), "");
    symlinkSync("nothing", join(root, "dangling"));
    expect(() => makeFolders(join(root, "file"))).toThrow(/EEXIST/u);
    expect(() => makeFolders(join(root, "file", "a"))).toThrow(/ENOTDIR/u);
    expect(() => makeFolders(join(root, "dangling", "a"))).toThrow(/EEXIST/u);
  });

  test("another process is quicker, just after it was seen that nothing is there", () => {
    const path = join(folder(), "a");
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

  test.skipIf(!existsSync("/proc/self"))("where nothing can be made it ends, with an error", () => {
    expect(() => makeFolders("/proc/pawl/a/b")).toThrow(/ENOENT/u);
  });
});
