/** Ctrl+C at one instant: one result, nothing left, and a session whose model can see that it was interrupted. */
import { expect } from "vitest";
import {
  expectPlainStderr,
  expectReadable,
  expectTaskDone,
  expectSuccess,
  resumeSession,
  prepareWorld,
  findLeftovers,
  recordedCalls,
  readRecords,
  requestProblems,
  unrecordedOutput,
  findTranscript,
  type Scenario,
} from "./world.ts";

/** How long a run takes here and now, and when it says its first word, ms. */
export async function measureWholeRun(scenario: Scenario, cache: string): Promise<{ took: number; started: number }> {
  const world = await prepareWorld(scenario, cache);
  try {
    const from = performance.now();
    const running = world.place.start(scenario.args);
    await running.saw(/"subtype":"init"/);
    const started = performance.now() - from;
    expectSuccess(await running.ended, "an unhindered run");
    return { took: performance.now() - from, started };
  } finally {
    await world.clear();
  }
}

/** `early`: before anybody listened; `settled`: with its one result; `late`: it had come to its end. */
export async function interruptAt(
  scenario: Scenario,
  afterMs: number,
  cache: string,
): Promise<"early" | "settled" | "late"> {
  const where = `${scenario.name}, interrupted after ${Math.round(afterMs)} ms`;
  const world = await prepareWorld(scenario, cache);
  try {
    const running = world.place.start(scenario.args);
    const timer = setTimeout(() => running.child.kill("SIGINT"), afterMs);
    const ended = await running.ended;
    clearTimeout(timer);
    const isEarly = ended.signal === "SIGINT";
    if (!isEarly) expect([0, 130], `${where}: ${ended.stderr}`).toContain(ended.code);
    expectPlainStderr(ended.stderr, where);
    const { lines } = ended;
    const results = lines.filter(({ type }) => type === "result");
    const begun = lines.some(({ subtype }) => subtype === "init");
    expect(results.length, where).toBe(begun ? 1 : 0);
    const isSettled = begun && ended.code === 130;
    if (begun) expect(lines.at(-1), where).toEqual(results[0]);
    expect(findLeftovers(world.place).join(" "), `${where}: left behind`).toBe("");
    const before = readRecords(findTranscript(world.place));
    expect(unrecordedOutput(ended.stdout, before), where).toEqual([]);
    // A settled run owes no call its result.
    for (const [id, call] of recordedCalls(before)) expect(call.results, `${where}: ${id}`).toHaveLength(1);
    const asked = world.server.requests.length;
    expectSuccess(await resumeSession(world), where);
    expect(requestProblems(world.server), where).toEqual([]);
    expectTaskDone(scenario.task, world, before, where);
    expectReadable(world.place, where);
    const next = JSON.stringify(world.server.requests[asked]?.body);
    if (isSettled && results[0]?.["terminal_reason"] !== "completed")
      expect(next, where).toContain("[Request interrupted by user");
    return isEarly || !begun ? "early" : isSettled ? "settled" : "late";
  } finally {
    await world.clear();
  }
}
