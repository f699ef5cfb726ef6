/** Two processes on one session: one has it, the other is told whose it is, and a death lets go of it at once. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { expectHandledRefusal } from "./refused-calls.ts";
import { heldRun, slowRun } from "./scenarios.ts";
import {
  expectTaskDone,
  expectSuccess,
  resumeSession,
  prepareWorld,
  findLeftovers,
  readRecords,
  requestProblems,
  testSessionId,
  findTranscript,
  usualArguments,
} from "./world.ts";

const lockedMessage = /^pawl: This session is open in process (\d+)\. [^\n]*--fork-session[^\n]*\n$/;

export async function expectSecondRefused(cache: string): Promise<void> {
  const world = await prepareWorld(heldRun, cache);
  try {
    const first = world.place.start(heldRun.args);
    await first.saw(/tool_use/);
    const before = world.server.requests.length;
    for (const way of [["--resume", testSessionId], ["--continue"]]) {
      const second = await world.run([...usualArguments, ...way, "--", "me too"]);
      expectHandledRefusal(second, "the second of two");
      expect(second).toMatchObject({ code: 2, lines: [{ failure: { code: "session_locked" } }] });
      expect(lockedMessage.exec(second.stderr)?.[1], second.stderr).toBe(String(first.child.pid));
    }
    writeFileSync(join(world.place.folder, "../released"), "");
    expectSuccess(await first.ended, "the first of two");
    expect(JSON.stringify(world.server.requests.slice(before).map(({ body }) => body))).not.toContain("me too");
    expectSuccess(await resumeSession(world), "the second, afterwards");
    expectTaskDone(heldRun.task, world, [], "two on one session");
    expect(requestProblems(world.server)).toEqual([]);
    expect(findLeftovers(world.place)).toEqual([]);
  } finally {
    await world.clear();
  }
}

export async function expectResumeAfterKill(cache: string): Promise<void> {
  const world = await prepareWorld(slowRun, cache);
  try {
    const first = world.place.start(slowRun.args);
    await first.saw(/tool_use/);
    first.child.kill("SIGKILL");
    await first.ended;
    const before = readRecords(findTranscript(world.place));
    expectSuccess(await resumeSession(world), "after kill -9 of the holder");
    expectTaskDone(slowRun.task, world, before, "after kill -9 of the holder");
    expect(requestProblems(world.server)).toEqual([]);
    expect(findLeftovers(world.place)).toEqual([]);
  } finally {
    await world.clear();
  }
}

/** The lock of a dead process lies there, and several want the session at once. */
export async function expectConcurrentContinues(count: number, cache: string): Promise<void> {
  const world = await prepareWorld(slowRun, cache);
  try {
    const first = world.place.start(slowRun.args);
    await first.saw(/tool_use/);
    first.child.kill("SIGKILL");
    await first.ended;
    const before = readRecords(findTranscript(world.place));
    const together = Array.from({ length: count }, () => world.run([...usualArguments, "--continue", "--", "go on"]));
    const ends = await Promise.all(together);
    const won = ends.filter(({ code }) => code === 0);
    // One may come when the one before it is done: then both have had it, one after the other.
    expect(won.length, ends.map(({ stderr }) => stderr).join("")).toBeGreaterThanOrEqual(1);
    for (const end of won) expectSuccess(end, "the one that has it");
    for (const end of ends.filter(({ code }) => code !== 0)) {
      expectHandledRefusal(end, "one that has it not");
      expect(end).toMatchObject({ code: 2, lines: [{ failure: { code: "session_locked" } }] });
      expect(end.stderr).toMatch(
        /^pawl: (This session is open in process \d+|Another process is opening|Other processes are opening)[^\n]*\n$/,
      );
    }
    expectTaskDone(slowRun.task, world, before, "continued together");
    expect(requestProblems(world.server)).toEqual([]);
    expect(findLeftovers(world.place)).toEqual([]);
  } finally {
    await world.clear();
  }
}
