/** The system refuses: a disk that fills up, too many open files, a medium that fails. Said once, in a sentence, and got over. */
import { expect } from "vitest";
import type { Ended } from "../../e2e/support/place.ts";
import type { Point } from "./plan.ts";
import {
  expectPlainStderr,
  expectReadable,
  expectTaskDone,
  expectSuccess,
  resumeCopies,
  resumeSession,
  findLeftovers,
  prepareWorld,
  recordPoints,
  readRecords,
  requestProblems,
  unrecordedOutput,
  findTranscript,
  transcriptPaths,
  type Scenario,
  type World,
} from "./world.ts";

export interface RefusedCall {
  scenario: Scenario;
  at: number;
  /** How many calls from there on. */
  count: number;
  code: string;
  point: Point;
}

/** Every call that changes a file, refused: once, and from there on. */
export async function listRefusedCalls(
  scenario: Scenario,
  codes: readonly string[],
  cache: string,
): Promise<RefusedCall[]> {
  const world = await prepareWorld(scenario, cache);
  try {
    const points = await recordPoints(world, scenario.args, { ...scenario.options, sockets: false });
    return points.flatMap((point, at) =>
      codes.flatMap((code) => [1, Number.MAX_SAFE_INTEGER].map((count) => ({ scenario, at, count, code, point }))),
    );
  } finally {
    await world.clear();
  }
}

/** Answers the exit code of the run that was refused. */
export async function runWithRefusedCall(refusal: RefusedCall, cache: string): Promise<number> {
  const { scenario, at, count, code, point } = refusal;
  const where = `${scenario.name}, ${code} at ${at} (${point.call} …/${point.path.split("/").slice(-2).join("/")})${count === 1 ? "" : " and after"}`;
  const world = await prepareWorld(scenario, cache);
  try {
    const { args, options } = scenario;
    const ended = await world.startFaulty(args, { fail: { from: at, count, code } }, options).ended;
    expectHandledRefusal(ended, where);
    await expectRecovery(world, scenario, ended, where);
    return ended.code ?? -1;
  } finally {
    await world.clear();
  }
}

/** Went well all the same (0), ended with one result that says what happened (1, or 3 where the model tried too often), or could not begin (2). */
export function expectHandledRefusal(ended: Ended, where: string): void {
  expect(ended.signal, where).toBeNull();
  expect([0, 1, 2, 3], `${where}: ${ended.stderr}`).toContain(ended.code);
  expectPlainStderr(ended.stderr, where);
  if (ended.code === 2) {
    expect(ended.stderr, where).toMatch(/^pawl: [^\n]+\n$/);
    // A program that drives the session over pipes reads the same sentence as its one result.
    const [only, ...more] = ended.lines;
    expect(more, where).toEqual([]);
    if (only === undefined) return expect(ended.stdout, where).toBe("");
    expect(only, where).toMatchObject({ type: "result", is_error: true, terminal_reason: "turn_setup_failed" });
    expect(ended.stderr, where).toBe(`pawl: ${String((only as { errors?: string[] }).errors?.[0])}\n`);
    return;
  }
  const { lines } = ended;
  const last = lines.at(-1);
  expect(last, where).toMatchObject({ type: "result", is_error: ended.code !== 0 });
  const submitted = lines.filter(({ type, subtype }) => type === "system" && subtype === "init").length;
  expect(lines.filter(({ type }) => type === "result").length, where).toBe(submitted);
  if (ended.code === 1) expect(ended.stderr, where).toMatch(/could not be (written|kept|asked)/);
}

/** The cause is removed: the session goes on to its end, and nothing was lost or done twice. */
export async function expectRecovery(world: World, { task }: Scenario, ended: Ended, where: string): Promise<void> {
  const before = readRecords(findTranscript(world.place));
  const all = transcriptPaths(world.place).flatMap(readRecords);
  // That a record could not be written is said, and what came of the calls of that moment: no answer of the model.
  const answers = unrecordedOutput(ended.stdout, all).filter((line) => line.startsWith('{"type":"assistant"'));
  expect(
    answers.filter((line) => !line.includes('"<synthetic>"')),
    `${where}: said, but not recorded`,
  ).toEqual([]);
  expectReadable(world.place, where, 1);
  const resumed = await resumeSession(world);
  expectSuccess(resumed, where);
  expect(requestProblems(world.server), where).toEqual([]);
  expectTaskDone(task, world, before, where);
  // A torn line that there was no room to set aside stays as one that is skipped.
  expectReadable(world.place, where, 1);
  await resumeCopies(world, where);
  expect(findLeftovers(world.place).join(" "), `${where}: left behind`).toBe("");
}
