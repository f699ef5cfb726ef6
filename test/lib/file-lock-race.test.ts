// Two that find the lock of a process that died, the second one in the middle of what the first does about it.
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import fs, { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { withFileLock } from "../../src/lib/file-lock.ts";
import { sharedTemporaryFolder } from "../support/temporary-folder.ts";

/** What others do right before the next file is removed. */
function beforeRemoval(act: () => void): void {
  const { unlinkSync } = fs;
  vi.spyOn(fs, "unlinkSync").mockImplementationOnce((path) => {
    act();
    unlinkSync(path);
  });
  syncBuiltinESMExports();
}

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const folder = sharedTemporaryFolder();

const dead = execFileSync(process.execPath, ["-e", "console.log(process.pid)"], { encoding: "utf8" }).trim();

function counting() {
  const seen = { now: 0, most: 0 };
  const work = async (): Promise<void> => {
    seen.most = Math.max(seen.most, ++seen.now);
    await new Promise((resolve) => setImmediate(resolve));
    seen.now--;
  };
  return { seen, work };
}

test("two processes that find the lock of a dead process never both take it, whenever the second one looks", async () => {
  const path = join(folder, "a.lock");
  writeFileSync(path, `${dead} ${hostname()} x`);
  const { seen, work } = counting();
  let second: Promise<void> | undefined;
  beforeRemoval(() => {
    second = withFileLock(path, 60_000, work);
  });
  await withFileLock(path, 60_000, work);
  await second;
  expect([second === undefined, seen.most]).toEqual([false, 1]);
  expect(readdirSync(folder)).toEqual([]);
});

test("a process that died while it removed a dead lock does not block the others for ever", async () => {
  const path = join(folder, "b.lock");
  const holder = `${dead} ${hostname()} x`;
  writeFileSync(path, holder);
  writeFileSync(`${path}.${hash("sha1", holder)}`, "");
  const { seen, work } = counting();
  await Promise.all([withFileLock(path, 0, work), withFileLock(path, 0, work)]);
  expect(seen.now).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

// For example after `sudo`: the file belongs to another user. A folder in its place can be neither read nor removed as a file, too.
test("does not wait for ever if the file that gives the right to remove a lock stays", async () => {
  const path = join(folder, "c.lock");
  const holder = `${dead} ${hostname()} x`;
  writeFileSync(path, holder);
  mkdirSync(`${path}.${hash("sha1", holder)}`);
  const { seen, work } = counting();
  await withFileLock(path, 0, work);
  expect(seen.most).toBe(1);
});
