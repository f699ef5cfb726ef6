// A conversation that lasts for days: the model is told which day it is, once for each.
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { calls, clearGroundsAfterwards, compact, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const on = (day: () => string): EngineOptions => at(() => `${day()}T12:00:00.000Z`, "UTC");

const at = (time: () => string, TZ: string): EngineOptions => ({
  env: { TZ },
  clock: {
    now: () => Date.parse(time()),
    elapsed: () => performance.now(),
    timestamp: time,
    timer(ms, onFire) {
      const handle = setTimeout(onFire, Math.min(ms, 2_147_483_647));
      return () => clearTimeout(handle);
    },
  },
});

const daysIn = (body: unknown): string[] =>
  Array.from(JSON.stringify(body).matchAll(/oday is (\d{4}-\d\d-\d\d)/gu), ([, day = ""]) => day);

test("a resume on another day tells the model the date, a resume on the same day does not", async () => {
  const ground = layGround();
  const model = scripted({ fallback: "Fine." });
  let resume: string | undefined;
  for (const day of ["2026-03-01", "2026-03-01", "2026-03-02", "2026-03-02", "2026-03-09"]) {
    const engine = await openOn(ground, model, { ...on(() => day), resume });
    await turn(engine, "Which day is it?");
    resume = engine.getSessionId();
    await engine.dispose();
  }
  expect(calls(model).map(({ body }) => daysIn(body?.messages))).toEqual([
    ["2026-03-01"],
    ["2026-03-01"],
    ["2026-03-01", "2026-03-02"],
    ["2026-03-01", "2026-03-02"],
    ["2026-03-01", "2026-03-02", "2026-03-09"],
  ]);
});

test("a session past midnight tells the model the new date, and again after a compaction", async () => {
  const model = scripted({
    rules: [{ when: { compacts: true }, reply: "They told stories." }],
    fallback: "A long story. ".repeat(300),
  });
  let today = "2026-03-01";
  const engine = await openOn(
    layGround(),
    model,
    on(() => today),
  );
  await turn(engine, "1");
  today = "2026-03-02";
  for (const prompt of ["2", "3"]) await turn(engine, prompt);
  await compact(engine);
  await turn(engine, "4");
  const told = calls(model).map(({ body }) => daysIn(body?.messages));
  expect([told[0], told.at(-1)]).toEqual([["2026-03-01"], ["2026-03-01", "2026-03-02"]]);
  expect(told[2]).toEqual(["2026-03-01", "2026-03-02"]);
});

test.each([
  ["America/Los_Angeles", "2026-03-02T03:00:00.000Z", "2026-03-01"],
  ["Asia/Tokyo", "2026-03-01T20:00:00.000Z", "2026-03-02"],
])("uses the date of the user's time zone: %s", async (TZ, time, day) => {
  const model = scripted({ fallback: "Fine." });
  const engine = await openOn(
    layGround(),
    model,
    at(() => time, TZ),
  );
  await turn(engine, "Which day is it?");
  expect(daysIn(calls(model)[0]!.body?.messages)).toEqual([day]);
});
