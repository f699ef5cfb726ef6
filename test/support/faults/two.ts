/** Two processes on one session: one has it, the other is told whose it is, and a death lets go of it at once. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { expectRefused } from "./broken.ts";
import { heldRun, slowRun } from "./scenarios.ts";
import {
  expectTask,
  expectWhole,
  goOn,
  lay,
  leftBehind,
  records,
  refusals,
  session,
  transcriptOf,
  usual,
} from "./world.ts";

const refusalForm = /^pawl: This session is open in process (\d+)\. [^\n]*--fork-session[^\n]*\n$/;

export async function refuseSecond(cache: string): Promise<void> {
  const world = await lay(heldRun, cache);
  try {
    const first = world.place.start(heldRun.args);
    await first.saw(/tool_use/);
    const before = world.server.requests.length;
    for (const way of [["--resume", session], ["--continue"]]) {
      const second = await world.run([...usual, ...way, "--", "me too"]);
      expectRefused(second, "the second of two");
      expect(second).toMatchObject({ code: 2, lines: [{ failure: { code: "session_locked" } }] });
      expect(refusalForm.exec(second.stderr)?.[1], second.stderr).toBe(String(first.child.pid));
    }
    writeFileSync(join(world.place.folder, "../released"), "");
    expectWhole(await first.ended, "the first of two");
    expect(JSON.stringify(world.server.requests.slice(before).map(({ body }) => body))).not.toContain("me too");
    expectWhole(await goOn(world), "the second, afterwards");
    expectTask(heldRun.task, world, [], "two on one session");
    expect(refusals(world.server)).toEqual([]);
    expect(leftBehind(world.place)).toEqual([]);
  } finally {
    await world.clear();
  }
}

export async function takeAfterKill(cache: string): Promise<void> {
  const world = await lay(slowRun, cache);
  try {
    const first = world.place.start(slowRun.args);
    await first.saw(/tool_use/);
    first.child.kill("SIGKILL");
    await first.ended;
    const before = records(transcriptOf(world.place));
    expectWhole(await goOn(world), "after kill -9 of the holder");
    expectTask(slowRun.task, world, before, "after kill -9 of the holder");
    expect(refusals(world.server)).toEqual([]);
    expect(leftBehind(world.place)).toEqual([]);
  } finally {
    await world.clear();
  }
}

/** The lock of a dead process lies there, and several want the session at once. */
export async function continueTogether(count: number, cache: string): Promise<void> {
  const world = await lay(slowRun, cache);
  try {
    const first = world.place.start(slowRun.args);
    await first.saw(/tool_use/);
    first.child.kill("SIGKILL");
    await first.ended;
    const before = records(transcriptOf(world.place));
    const together = Array.from({ length: count }, () => world.run([...usual, "--continue", "--", "go on"]));
    const ends = await Promise.all(together);
    const won = ends.filter(({ code }) => code === 0);
    // One may come when the one before it is done: then both have had it, one after the other.
    expect(won.length, ends.map(({ stderr }) => stderr).join("")).toBeGreaterThanOrEqual(1);
    for (const end of won) expectWhole(end, "the one that has it");
    for (const end of ends.filter(({ code }) => code !== 0)) {
      expectRefused(end, "one that has it not");
      expect(end).toMatchObject({ code: 2, lines: [{ failure: { code: "session_locked" } }] });
      expect(end.stderr).toMatch(
        /^pawl: (This session is open in process \d+|Another process is opening|Other processes are opening)[^\n]*\n$/,
      );
    }
    expectTask(slowRun.task, world, before, "continued together");
    expect(refusals(world.server)).toEqual([]);
    expect(leftBehind(world.place)).toEqual([]);
  } finally {
    await world.clear();
  }
}
