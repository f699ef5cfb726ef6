// What becomes of a failed response, as a pure table: each recovery, alone and with calls, a fallback model, and earlier attempts.
import { describe, expect, test } from "vitest";
import {
  triesAfterAnswer,
  triesAfterSwitch,
  firstTries,
  nextAttempt,
  type NextStep,
  type AttemptContext,
  type Tries,
} from "../../src/loop/next-attempt.ts";
import type { ModelFailure } from "../../src/protocol/model.ts";

type Recovery = ModelFailure["recovery"];

const room = { maximum: 10_000, actual: 12_000, answer: 8_000 };

function next(
  failure: Partial<ModelFailure>,
  seen: Partial<AttemptContext> = {},
  tries: Partial<Tries> = {},
): NextStep {
  const before: Tries = Object.freeze({ ...firstTries(0), attempt: 3, ...tries });
  const whole: ModelFailure = { kind: "server_error", message: "It broke.", recovery: "retry", ...failure };
  const now = {
    model: "a",
    calls: 0,
    isCancelled: false,
    hasFallback: false,
    overloadsBeforeFallback: 3,
    answerLimit: Infinity,
  };
  return nextAttempt(before, whole, { ...now, ...seen });
}

function says({ tries: _tries, ...said }: NextStep): object {
  return said;
}

const expected: Record<Recovery, { fresh: object; withFallback?: object }> = {
  retry: { fresh: { go: "retry", ifExhausted: "failed" } },
  fallback: { fresh: { go: "end", outcome: "failed" }, withFallback: { go: "fallback" } },
  overflow: { fresh: { go: "end", outcome: "overflowed" } },
  media: { fresh: { go: "end", outcome: "overflowed" } },
  output: { fresh: { go: "end", outcome: "failed" } },
  thinking: { fresh: { go: "repair" } },
  summary: { fresh: { go: "repair" } },
  block: { fresh: { go: "repair" } },
  field: { fresh: { go: "repair" } },
  none: { fresh: { go: "end", outcome: "failed" } },
};
const recoveries = Object.keys(expected) as Recovery[];

describe.each(recoveries)("a failure with recovery %s", (recovery) => {
  test("without calls leads to the expected step", () => {
    const { fresh, withFallback = fresh } = expected[recovery];
    expect(says(next({ recovery }))).toEqual(fresh);
    expect(says(next({ recovery }, { hasFallback: true }))).toEqual(withFallback);
  });

  test("after calls is never requested again", () => {
    expect(says(next({ recovery }, { calls: 1 }))).toEqual({ go: "settle", onFallback: false });
    expect(says(next({ recovery, kind: "refusal" }, { calls: 1 }))).toEqual({ go: "end", outcome: "failed" });
  });

  test("in a cancelled run ends it", () => {
    for (const calls of [0, 2])
      expect(says(next({ recovery, overload: true }, { calls, isCancelled: true, hasFallback: true }))).toEqual({
        go: "end",
        outcome: "aborted",
      });
  });
});

test("a failure with an unknown recovery ends the run", () => {
  expect(says(next({ recovery: "pray" as Recovery }))).toEqual({ go: "end", outcome: "failed" });
});

describe("overloads", () => {
  const overload = true;
  test("in a row are counted, and another failure restarts the count", () => {
    expect(next({ overload }, {}, { overloads: 1 }).tries.overloads).toBe(2);
    expect(next({}, {}, { overloads: 2 }).tries.overloads).toBe(0);
    expect(next({ overload }, { calls: 1 }, { overloads: 1 }).tries.overloads).toBe(2);
  });

  test("switch to the fallback model at the third in a row, also after calls, and restart the counts", () => {
    const tried = { overloads: 2, endless: 1, answerRoom: 5_000 };
    const alone = next({ overload }, { hasFallback: true }, tried);
    expect(says(alone)).toEqual({ go: "fallback" });
    expect(alone.tries).toMatchObject({ attempt: 0, endless: 0, overloads: 0, answerRoom: null });
    const behind = next({ overload }, { hasFallback: true, calls: 1 }, tried);
    expect(says(behind)).toEqual({ go: "settle", onFallback: true });
    expect(behind.tries).toEqual(alone.tries);
    expect(says(next({ overload }, {}, tried))).toEqual({ go: "retry", ifExhausted: "failed" });
  });

  test("that are not retried, or whose retries are used up, switch to the fallback model", () => {
    expect(says(next({ overload, recovery: "none" }, { hasFallback: true }))).toEqual({ go: "fallback" });
    expect(says(next({ overload }, { hasFallback: true }))).toEqual({ go: "retry", ifExhausted: "fallback" });
    expect(says(next({}, { hasFallback: true }))).toEqual({ go: "retry", ifExhausted: "failed" });
  });
});

describe("a changed request", () => {
  test("does not count as a retry", () => {
    const changed: Partial<ModelFailure>[] = [
      { recovery: "thinking" },
      { recovery: "output", answerLimit: 4_000 },
      { recovery: "overflow", tokens: room },
    ];
    for (const failure of changed) expect(next(failure).tries.attempt).toBe(2);
  });

  test("is made once per repair and model; missed thinking has two repairs", () => {
    const field: Partial<ModelFailure> = { recovery: "field", field: "thinking" };
    const missed: Partial<ModelFailure> = { recovery: "thinking", thinkingMissed: true };
    for (const failure of [{ recovery: "thinking" }, { recovery: "summary" }, field] as const) {
      const { tries } = next(failure);
      expect(says(next(failure, {}, tries))).toEqual({ go: "end", outcome: "failed" });
    }
    const again = next(missed, {}, next(missed).tries);
    expect(says(again)).toEqual({ go: "repair" });
    expect(says(next(missed, {}, again.tries))).toEqual({ go: "end", outcome: "failed" });
    const { tries } = next(missed, {}, next(field).tries);
    expect(says(next(field, { model: "b" }, tries))).toEqual({ go: "repair" });
    expect(says(next(missed, { model: "b" }, tries))).toEqual({ go: "repair" });
    expect(says(next({ recovery: "thinking" }, {}, tries))).toEqual({ go: "repair" });
    const blocks: Partial<ModelFailure> = { recovery: "block" };
    expect(says(next(blocks, {}, next(blocks).tries))).toEqual({ go: "repair" });
  });

  test("with a shorter answer is made up to five times, each time with a lower limit", () => {
    const failure: Partial<ModelFailure> = { recovery: "output", answerLimit: 4_000 };
    const first = next(failure);
    expect(says(first)).toEqual({ go: "shorten", limit: 4_000 });
    expect(first.tries.shortened).toBe(1);
    expect(says(next(failure, { answerLimit: 4_000 }))).toEqual({ go: "end", outcome: "failed" });
    expect(says(next(failure, {}, { shortened: 4 }))).toEqual({ go: "shorten", limit: 4_000 });
    expect(says(next(failure, {}, { shortened: 5 }))).toEqual({ go: "end", outcome: "failed" });
  });

  test("with the remaining room is made once, if the room is large enough", () => {
    const first = next({ recovery: "overflow", tokens: room });
    expect(says(first)).toEqual({ go: "shorten" });
    expect(first.tries.answerRoom).toBe(6_000);
    expect(says(next({ recovery: "overflow", tokens: room }, {}, first.tries))).toEqual({
      go: "end",
      outcome: "overflowed",
    });
    const least = { ...room, actual: 10_000 - 1_024 + 8_000 };
    expect(next({ recovery: "overflow", tokens: least }).tries.answerRoom).toBe(1_024);
    const less = { ...least, actual: least.actual + 1 };
    expect(says(next({ recovery: "overflow", tokens: less }))).toEqual({ go: "end", outcome: "overflowed" });
  });
});

test("an answer restarts the failure counts but keeps the repairs; a new model also forgets the answer room", () => {
  const tried: Tries = {
    attempt: 4,
    endless: 2,
    overloads: 2,
    pauses: 1,
    shortened: 1,
    answerRoom: 5_000,
    repaired: new Set(["thinking"]),
  };
  const anew = { ...tried, attempt: 0, endless: 0, overloads: 0 };
  expect(triesAfterAnswer(tried)).toEqual(anew);
  expect(triesAfterSwitch(tried)).toEqual({ ...anew, answerRoom: null });
});
