import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { acquireLock } from "../../src/transcript/index.ts";
import { sweepSessions } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const day = 24 * 60 * 60;

test("old task lists are removed, but neither locked ones nor other files", () => {
  const home = temporaryFolder();
  const folder = join(home, "tasks");
  mkdirSync(folder);
  const now = Math.floor(Date.now() / 1000);
  for (const [name, age] of [
    ["old.json", 40],
    ["held.json", 40],
    ["new.json", 3],
    ["notes.txt", 90],
  ] as const) {
    writeFileSync(join(folder, name), "{}\n");
    utimesSync(join(folder, name), now - age * day, now - age * day);
  }
  const held = acquireLock(join(folder, "held.json"));
  const sweep = (cleanupPeriodDays: number) => sweepSessions({ home, now: now * 1000, cleanupPeriodDays });
  expect(sweep(60)).toEqual({ removed: [], problems: [] });
  expect(readdirSync(folder)).toContain("old.json");
  expect(sweep(30)).toEqual({ removed: [], problems: [] });
  held.release();
  expect(readdirSync(folder).toSorted()).toEqual(["held.json", "new.json", "notes.txt"]);
});
