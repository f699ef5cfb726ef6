// Plans that lie outside of a session's own folder: what goes with it, and what never does.
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeFileSystem } from "../../src/transcript/index.ts";
import { planLogPath, projectFolder, transcriptPath } from "../../src/transcript/paths.ts";
import { recordPlan, loggedPlans } from "../../src/transcript/plan-log.ts";
import { removeSession } from "../../src/transcript/remove.ts";
import { sweepSessions } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const id = "5b0cf8a2-64ab-4ac8-9a55-0d4f4c7a1b11";
const now = () => Date.now();

function layout() {
  const root = temporaryFolder();
  const [home, plans] = [join(root, "home"), join(root, "plans")];
  const transcript = transcriptPath(projectFolder(home, "/p"), id);
  for (const folder of [dirname(transcript), plans]) mkdirSync(folder, { recursive: true });
  writeFileSync(transcript, "{}\n");
  const plan = (name = `plan-${id}.md`): string => {
    const path = join(plans, name);
    writeFileSync(path, "The plan.\n");
    recordPlan(transcript, path);
    return path;
  };
  return { root, home, plans, transcript, plan };
}

test("removing a session removes each of its plans, and nothing else beside them", () => {
  const { plans, transcript, plan } = layout();
  for (const name of [`plan-${id}.md`, `plan-${id}-2.md`]) plan(name);
  for (const name of ["other.md", `plan-${id}-3.md`]) writeFileSync(join(plans, name), "Mine.\n");
  expect(removeSession(transcript, { now })).toBe(true);
  expect(readdirSync(plans).toSorted()).toEqual(["other.md", `plan-${id}-3.md`]);
});

test("a plan that cannot be removed does not keep its session, or others in a sweep, from being removed", () => {
  const { home, transcript, plan } = layout();
  const stuck = plan();
  const other = transcript.replace(id, id.replace("5b", "6b"));
  const lay = (): void => [transcript, other].forEach((path) => writeFileSync(path, "{}\n"));
  const remove = (path: string): void => {
    if (path === stuck) throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
    nodeFileSystem.remove(path);
  };
  const fs = { ...nodeFileSystem, remove };
  expect(() => removeSession(transcript, { now, fs })).toThrow("EROFS");
  expect(existsSync(transcript)).toBe(false);
  lay();
  recordPlan(transcript, stuck);
  const swept = sweepSessions({ home, now: Date.now() + 40 * 24 * 3_600_000, cleanupPeriodDays: 30, fs });
  expect([existsSync(transcript), existsSync(other)]).toEqual([false, false]);
  expect(swept.problems).toEqual([expect.stringContaining("read-only")]);
});

describe("removing a session keeps", () => {
  test("a plan that was changed, and whatever has taken a plan's place", () => {
    const { root, transcript, plan } = layout();
    const changed = plan();
    writeFileSync(changed, "The plan, and more.\n");
    const touched = plan(`plan-${id}-2.md`);
    utimesSync(touched, 1, 1);
    const linked = plan(`plan-${id}-3.md`);
    nodeFileSystem.remove(linked);
    writeFileSync(join(root, "mine"), "The plan.\n");
    symlinkSync(join(root, "mine"), linked);
    removeSession(transcript, { now });
    expect([changed, touched, linked, join(root, "mine")].map((path) => existsSync(path))).toEqual(Array(4).fill(true));
  });

  test("files in the log that are not plans of this session", () => {
    const { transcript, plan, plans } = layout();
    for (const name of ["notes.md", "plan.md", "plan-0b0cf8a2-64ab-4ac8-9a55-0d4f4c7a1b11.md", `plan-${id}.md.txt`])
      plan(name);
    writeFileSync(planLogPath(transcript), `{"path":3}\n"x"\n{"path":"plan-${id}.md"}\n{"pa`, { flag: "a" });
    expect(loggedPlans(transcript, nodeFileSystem)).toEqual([]);
    removeSession(transcript, { now });
    expect(readdirSync(plans)).toHaveLength(4);
  });
});

test.each([
  ["a sweep removes the plans of a session outside of a repository", false],
  ["a sweep keeps the plans of a session in a repository", true],
])("%s", (_name, isRepository) => {
  const { root, home, plan } = layout();
  const path = plan();
  if (isRepository) mkdirSync(join(root, ".git"));
  const later = Date.now() + 40 * 24 * 60 * 60_000;
  expect(sweepSessions({ home, now: later, cleanupPeriodDays: 30 })).toEqual({ removed: [id], problems: [] });
  expect(existsSync(path)).toBe(isRepository);
});

test("removing a session explicitly removes its plans in a repository too", () => {
  const { root, transcript, plan } = layout();
  mkdirSync(join(root, ".git"));
  const path = plan();
  removeSession(transcript, { now });
  expect(existsSync(path)).toBe(false);
});
