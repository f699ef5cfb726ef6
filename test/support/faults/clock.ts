/** The wall clock jumps by hours at every reading: nothing times out, no duration is negative, and a resume continues. */
import { expect } from "vitest";
import type { Json } from "../../e2e/support/strict.ts";
import {
  expectPlainStderr,
  expectReadable,
  expectTaskDone,
  resumeSession,
  expectSuccess,
  prepareWorld,
  findLeftovers,
  readRecords,
  requestProblems,
  findTranscript,
  type Scenario,
} from "./world.ts";

export async function runUnderClock(scenario: Scenario, hours: number, cache: string): Promise<void> {
  const where = `${scenario.name} under a clock that jumps by ${hours} h`;
  const world = await prepareWorld(scenario, cache);
  try {
    const ended = await world.startFaulty(scenario.args, { clockHours: hours }, scenario.options).ended;
    expect([ended.code, ended.signal], `${where}: ${ended.stderr}`).toEqual([0, null]);
    expectPlainStderr(ended.stderr, where);
    const { lines } = ended;
    expect(
      lines.filter(({ subtype }) => subtype === "api_retry"),
      where,
    ).toEqual([]);
    for (const result of lines.filter(({ type }) => type === "result")) expectPlausibleTimes(result, where);
    expect(ended.stdout, where).not.toMatch(/was ended after|timed out/);
    const before = readRecords(findTranscript(world.place));
    expectReadable(world.place, where);
    expectSuccess(await resumeSession(world), where);
    expectTaskDone(scenario.task, world, before, where);
    expect(requestProblems(world.server), where).toEqual([]);
    expect(findLeftovers(world.place).join(" "), where).toBe("");
  } finally {
    await world.clear();
  }
}

function expectPlausibleTimes(result: Json, where: string): void {
  for (const field of ["duration_ms", "duration_api_ms"]) {
    expect(result[field], `${where}: ${field}`).toBeGreaterThanOrEqual(0);
    expect(result[field], `${where}: ${field}`).toBeLessThan(600_000);
  }
}
