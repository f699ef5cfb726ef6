/** Ends a run with SIGKILL at a chosen write, resumes it against the same server, and checks what must hold at every write. */
import { expect } from "vitest";
import type { Death, Point } from "./plan.ts";
import {
  expectReadable,
  expectTaskDone,
  expectSuccess,
  resumeSession,
  resumeCopies,
  prepareWorld,
  findLeftovers,
  recordPoints,
  readRecords,
  requestProblems,
  unrecordedOutput,
  findTranscript,
  type Scenario,
} from "./world.ts";

export interface KillPoint {
  scenario: Scenario;
  at: number;
  how: Death;
  point: Point;
}

/** Lists every death a run can meet: before and after each write, and in the middle of longer writes. */
export async function listKillPoints(scenario: Scenario, cache: string): Promise<KillPoint[]> {
  const world = await prepareWorld(scenario, cache);
  try {
    const points = await recordPoints(world, scenario.args, scenario.options);
    const kinds = readRecords(findTranscript(world.place)).map(({ type }) => type);
    expect(kinds).toEqual(expect.arrayContaining([...(scenario.writes ?? [])]));
    return points.flatMap((point, at) => deathsAt(point).map((how) => ({ scenario, at, how, point })));
  } finally {
    await world.clear();
  }
}

function deathsAt(point: Point): Death[] {
  const { call, bytes = 0 } = point;
  if (call === "send" || bytes < 2) return ["before", "after"];
  return ["before", { torn: 1 }, { torn: Math.floor(bytes / 2) }, { torn: -1 }, "after"];
}

/** Returns whether the run was killed before it ended by itself. */
export async function killAt(killPoint: KillPoint, cache: string): Promise<boolean> {
  const { scenario, at, how, point } = killPoint;
  const where = `${scenario.name}, point ${at} (${point.call} …/${point.path.split("/").slice(-2).join("/")}), ${JSON.stringify(how)}`;
  const world = await prepareWorld(scenario, cache);
  try {
    const { args, options, task } = scenario;
    const struck = await world.startFaulty(args, { sockets: true, die: { at, how } }, options).ended;
    const before = readRecords(findTranscript(world.place));
    const unrecorded = scenario.name === "fork" ? [] : unrecordedOutput(struck.stdout, before);
    expect(unrecorded, `${where}: said, but not recorded`).toEqual([]);
    const wasKilled = struck.signal === "SIGKILL";
    if (!wasKilled) expect([struck.code, struck.signal], `${where}: ${struck.stderr}`).toEqual([0, null]);
    const resumed = await resumeSession(world);
    expectSuccess(resumed, where);
    expect(requestProblems(world.server), where).toEqual([]);
    expectTaskDone(task, world, before, where);
    expectReadable(world.place, where);
    await resumeCopies(world, where);
    expect(findLeftovers(world.place).join(" "), `${where}: left behind`).toBe("");
    return wasKilled;
  } finally {
    await world.clear();
  }
}
