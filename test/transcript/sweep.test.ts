// Who sweeps may leave at any step, as a run that has answered does: what is old must go nevertheless.
import { existsSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectsFolder } from "../../src/transcript/paths.ts";
import { sweepSteps } from "../../src/transcript/sweep.ts";
import { put } from "../support/put.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const day = 24 * 60 * 60 * 1000;

test.each([
  ["folders", (index: number) => `-project-${index}`, 20],
  ["sessions of the same folder", () => "-project", 300],
])(
  "an old session behind many younger %s is removed even if every sweep stops after its first steps",
  (_, folderOf, count) => {
    const home = temporaryFolder();
    const paths = Array.from(Array(count).keys(), (index) => {
      const id = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
      return join(projectsFolder(home), folderOf(index), `${id}.jsonl`);
    });
    const now = Date.now();
    for (const path of paths) {
      put(path, "{}\n");
      const age = path === paths.at(-1) ? 40 : 3;
      utimesSync(path, (now - age * day) / 1000, (now - age * day) / 1000);
    }
    // 37 is prime to both counts, so that the sweeps begin at each place.
    for (let run = 0; run < count; run++) {
      const steps = sweepSteps({ home, now: now + 37 * run, cleanupPeriodDays: 30 });
      for (let step = 0; step < 3; step++) steps.next();
    }
    expect(paths.filter((path) => !existsSync(path))).toEqual(paths.slice(-1));
  },
);

// Seen: task lists came after all folders, and stayed for good if each run ended before them.
test("an old task list is removed even if every sweep stops after its first steps", () => {
  const home = temporaryFolder();
  const now = Date.now();
  for (let at = 0; at < 20; at++)
    put(join(projectsFolder(home), `-project-${at}`, "00000000-0000-4000-8000-000000000000.jsonl"), "{}\n");
  const list = join(home, "tasks", "old.json");
  put(list, "{}\n");
  utimesSync(list, (now - 40 * day) / 1000, (now - 40 * day) / 1000);
  for (let run = 0; run < 21; run++) {
    const steps = sweepSteps({ home, now: now + run, cleanupPeriodDays: 30 });
    for (let step = 0; step < 3; step++) steps.next();
  }
  expect(existsSync(list)).toBe(false);
});
