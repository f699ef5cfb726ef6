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

test("a session stays if any of its files is young, whichever is looked at first", () => {
  const home = temporaryFolder();
  const now = Date.now();
  const parts = [".jsonl", ".jsonl.torn-1", ".x"];
  const idAt = (at: number): string => `00000000-0000-4000-8000-00000000000${at}`;
  const pathsOf = (at: number): string[] =>
    parts.map((part) => join(projectsFolder(home), "-project", idAt(at) + part));
  // The last session has no young file.
  for (const at of [0, 1, 2, 3])
    for (const [part, path] of pathsOf(at).entries()) {
      put(path, "{}\n");
      const age = part === at ? 3 : 40;
      utimesSync(path, (now - age * day) / 1000, (now - age * day) / 1000);
    }
  const steps = sweepSteps({ home, now, cleanupPeriodDays: 30 });
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  expect(step.value).toEqual({ removed: [idAt(3)], problems: [] });
  expect([0, 1, 2].flatMap(pathsOf).filter((path) => !existsSync(path))).toEqual([]);
});
