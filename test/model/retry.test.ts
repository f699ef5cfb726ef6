// Whether and when a failed attempt is made again.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultRetryPolicy, retryAdvice } from "../../src/model/index.ts";
import type { ModelFailure } from "../../src/protocol/model.ts";

const failure = (change: Partial<ModelFailure> = {}): ModelFailure => ({
  kind: "overloaded",
  recovery: "retry",
  message: "It is overloaded.",
  ...change,
});

describe("a retry", () => {
  test("waits between half and all of a delay that doubles up to the cap", () => {
    const delays = Array.from({ length: 10 }, (_, index) => {
      const attempt = index + 1;
      const [low, high] = [retryAdvice(failure(), attempt, 0), retryAdvice(failure(), attempt, 1)];
      return [low.retry && low.delayMs, high.retry && high.delayMs];
    });
    expect(delays).toEqual([
      [250, 500],
      [500, 1000],
      [1000, 2000],
      [2000, 4000],
      [4000, 8000],
      [8000, 16_000],
      [16_000, 32_000],
      [16_000, 32_000],
      [16_000, 32_000],
      [16_000, 32_000],
    ]);
  });

  test("without limit comes as soon as any other, and a day later at most", () => {
    const endless = { ...defaultRetryPolicy, isEndless: true };
    const busy = failure({ status: 529 });
    expect(retryAdvice(busy, 1, 1, endless)).toMatchObject({ retry: true, delayMs: 500, isEndless: true });
    expect(retryAdvice({ ...busy, retryAfterMs: 48 * 3_600_000 }, 1, 0, endless)).toMatchObject({
      retry: true,
      delayMs: 24 * 3_600_000,
    });
    // An answer that had begun was not turned away.
    expect(retryAdvice({ ...busy, begun: true }, 1, 0, endless)).not.toHaveProperty("isEndless");
  });

  test("of an unreachable server is given up after 4 tries", () => {
    const unreached = failure({ kind: "connection", neverSent: true });
    expect(retryAdvice(unreached, 4, 0)).toMatchObject({ retry: true, maxRetries: 4 });
    const advice = retryAdvice(unreached, 5, 0);
    expect(advice.retry).toBe(false);
    expect(advice.retry === false && advice.failure.message).toContain("Gave up after 4 retries");
  });

  test("of an unreachable server that answered before is made as often as others", () => {
    const offline = failure({ kind: "connection", neverSent: true, mayPass: true });
    expect(retryAdvice(offline, 10, 0).retry).toBe(true);
    expect(retryAdvice(offline, 11, 0).retry).toBe(false);
  });

  test("waits as usual if the server names no time, or one in the past", () => {
    for (let attempt = 1; attempt <= 10; attempt++)
      expect(retryAdvice(failure({ retryAfterMs: 0 }), attempt, 1)).toEqual(retryAdvice(failure(), attempt, 1));
  });

  test("never comes before the time that the server named", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 600_000 }),
        fc.integer({ min: 1, max: 10 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (asked, attempt, random) => {
          const advice = retryAdvice(failure({ retryAfterMs: asked }), attempt, random);
          expect(advice.retry).toBe(true);
          if (advice.retry) {
            expect(advice.delayMs).toBeGreaterThanOrEqual(asked);
            expect(advice.delayMs).toBeLessThanOrEqual(asked + 1000);
          }
        },
      ),
    );
  });
});

describe("no retry", () => {
  test.each(["overflow", "media", "thinking", "fallback", "none"] as const)(
    "is made if the recovery is %s",
    (recovery) => {
      const given = failure({ recovery });
      expect(retryAdvice(given, 1, 0)).toEqual({ retry: false, failure: given });
    },
  );

  test("is made after the tenth", () => {
    expect(retryAdvice(failure(), 10, 0).retry).toBe(true);
    expect(retryAdvice(failure(), 11, 0)).toEqual({
      retry: false,
      failure: failure({ recovery: "none", message: "It is overloaded. Gave up after 10 retries." }),
    });
  });

  test("is made if maxRetries is 0", () => {
    expect(retryAdvice(failure(), 1, 0, { ...defaultRetryPolicy, maxRetries: 0 })).toMatchObject({
      retry: false,
      failure: { message: "It is overloaded." },
    });
  });

  test("is made if the server asks for more than ten minutes", () => {
    const given = failure({ kind: "overloaded", retryAfterMs: 600_001, resetsAt: 42 });
    expect(retryAdvice(given, 1, 0)).toMatchObject({
      retry: false,
      failure: { kind: "rate_limit", recovery: "none", resetsAt: 42 },
    });
    expect(retryAdvice(failure({ retryAfterMs: 600_000 }), 1, 0).retry).toBe(true);
  });

  test("is made if hours of a plan are used up, unless the server names a shorter wait", () => {
    const detail = "Usage limit reached for 5 hour. Your limit will reset at 2026-09-09 05:38:28";
    const given = failure({ kind: "rate_limit", status: 429, message: `It limits: ${detail}.`, detail });
    expect(retryAdvice(given, 1, 0)).toEqual({ retry: false, failure: { ...given, recovery: "none" } });
    expect(retryAdvice({ ...given, retryAfterMs: 60_000 }, 1, 0).retry).toBe(true);
    expect(retryAdvice(given, 1, 0, { ...defaultRetryPolicy, isEndless: true }).retry).toBe(true);
    expect(retryAdvice({ ...given, detail: "Usage limit reached for 5 minute." }, 1, 0).retry).toBe(true);
    for (const said of [
      "usage limit exceeded, 5-hour usage limit reached for Token Plan Starter (0/0 used), resets at 2026-05-15T15:00:00Z",
      "you've reached your hourly usage limit, please wait or upgrade to continue",
      "you (ada) have reached your session usage limit, upgrade for higher limits: https://ollama.com/upgrade",
      "week allocated quota exceeded.",
      "The usage limit has been reached",
    ])
      expect(retryAdvice({ ...given, detail: said }, 1, 0).retry).toBe(false);
    const passing = "concurrency allocated quota exceeded.";
    expect(retryAdvice({ ...given, detail: passing }, 1, 0).retry).toBe(true);
  });
});
