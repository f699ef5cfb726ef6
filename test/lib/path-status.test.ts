import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DiskSpellings, spellingOnDisk } from "../../src/lib/path-status.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("finds a path whose accents are composed differently on disk, and returns it as the disk spells it", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "re\u0301sume\u0301", "plain"), { recursive: true });
  writeFileSync(join(folder, "re\u0301sume\u0301", "plain", "cafe\u0301.md"), "");
  const there = join(folder, "re\u0301sume\u0301/plain/cafe\u0301.md");
  expect(spellingOnDisk(join(folder, "r\u00e9sum\u00e9/plain/caf\u00e9.md"))).toBe(there);
  expect(spellingOnDisk(there)).toBe(there);
  for (const path of ["r\u00e9sum\u00e9/plain/cafe.md", "r\u00e9sum\u00e9/other/caf\u00e9.md", "caf\u00e9/x"])
    expect(spellingOnDisk(join(folder, path))).toBeUndefined();
});

// Seen: a memory file with a thousand imports that are not there read a folder of 20,000 files a thousand times, and the start took minutes.
test("reads each folder only once when many paths are looked up together", () => {
  const folder = temporaryFolder();
  const spellings = new DiskSpellings();
  const path = join(folder, "caf\u00e9.md");
  expect(spellings.spellingOf(path)).toBeUndefined();
  writeFileSync(join(folder, "cafe\u0301.md"), "");
  expect(spellings.spellingOf(path)).toBeUndefined();
  expect(spellingOnDisk(path)).toBe(join(folder, "cafe\u0301.md"));
});
