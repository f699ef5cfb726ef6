// How often a request is made again, by what the environment says.
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/system-clock.ts";
import type { EngineOptions } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import { noticeOf } from "../../src/surface/show/notice.ts";
import type { Reply } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const busy: Reply = { fault: { kind: "overloaded" } };
const limited: Reply = { fault: { kind: "rate_limit" } };
const broken: Reply = { fault: { kind: "server_error" } };
const times = (count: number, reply: Reply): Reply[] => Array.from({ length: count }, () => reply);

/** A turn whose pauses between requests are over at once. `onRetry` may end it. */
async function hurried(
  steps: (Reply | string)[],
  env: EngineOptions["env"],
  { onRetry, ...extra }: EngineOptions & { onRetry?: (attempt: number, interrupt: () => void) => void } = {},
) {
  const pauses = new Set<number>();
  const told: string[] = [];
  const clock: EngineOptions["clock"] = {
    ...systemClock,
    timer(ms, onFire) {
      if (!pauses.has(ms)) return systemClock.timer(ms, onFire);
      const soon = setImmediate(onFire);
      return () => clearImmediate(soon);
    },
  };
  const options: EngineOptions = { clock, env, onNotice: (text) => told.push(text), ...extra };
  const { engine, model } = await openSession({ steps }, options);
  const onMessage = (message: SDKMessage): void => {
    if (message.type !== "system" || message.subtype !== "api_retry") return;
    pauses.add(message.retry_delay_ms);
    onRetry?.(message.attempt, () => void engine.interrupt());
  };
  const { messages, result } = await turn(engine, "Go.", { onMessage });
  const retries = messages.flatMap((each) => (each.type === "system" && each.subtype === "api_retry" ? [each] : []));
  return { engine, model, messages, result, retries, told, requests: calls(model).length };
}

describe("CLAUDE_CODE_RETRY_WATCHDOG", () => {
  const env = { CLAUDE_CODE_RETRY_WATCHDOG: "1", CLAUDE_CODE_MAX_RETRIES: "2" };

  test("unset leaves an overload to the usual number of retries", async () => {
    const { result, requests } = await hurried(times(4, busy), { CLAUDE_CODE_MAX_RETRIES: "2" });
    expect(result).toMatchObject({ is_error: true });
    expect(requests).toBe(3);
  });

  test("retries until an overload or a rate limit is over, and shows each attempt", async () => {
    const { result, retries } = await hurried([...times(25, busy), ...times(15, limited), "Done."], env);
    expect(result).toMatchObject({ subtype: "success", result: "Done." });
    expect(retries.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(retries.every(({ max_retries: most }) => most === Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(noticeOf(retries[11]!)?.text).toContain("(attempt 12, until it answers");
    expect(Math.max(...retries.map(({ retry_delay_ms: ms }) => ms))).toBeLessThanOrEqual(33_000);
  });

  test("waits as long as the server asks, but at most a day at a time", async () => {
    const late = (retryAfter: number): Reply => ({ fault: { kind: "rate_limit", retryAfter } });
    const { result, retries } = await hurried([late(18_000), late(9_000_000), "Done."], env);
    expect(result).toMatchObject({ subtype: "success" });
    expect(retries[0]!.retry_delay_ms).toBeGreaterThanOrEqual(18_000_000);
    expect(retries[1]!.retry_delay_ms).toBe(24 * 3_600_000);
  });

  test("leaves other failures their own retry count", async () => {
    const mixed = [...times(5, busy), broken, ...times(5, limited), broken];
    expect((await hurried([...mixed, "Done."], env)).result).toMatchObject({ subtype: "success", result: "Done." });
    const { result, retries } = await hurried([...mixed, busy, broken], env);
    expect(result).toMatchObject({ is_error: true });
    const counted = retries.filter(({ error_status: status }) => status === 500);
    expect(counted.map((each) => each.max_retries)).toEqual([2, 2]);
    // The message about the first must not call it the sixth of two.
    expect(counted.map((each) => each.attempt)).toEqual([1, 2]);
  });

  test("does not retry after a spend limit", async () => {
    const { result, requests } = await hurried([{ fault: { kind: "spend_limit" } }, "Done."], env);
    expect(result).toMatchObject({ is_error: true });
    expect(requests).toBe(1);
  });

  test("can be interrupted while it waits", async () => {
    const onRetry = (attempt: number, interrupt: () => void): void => {
      if (attempt === 15) interrupt();
    };
    const { requests, messages } = await hurried(times(100, busy), env, { onRetry });
    expect(requests).toBe(15);
    expect(messages.at(-1)).toMatchObject({ type: "result", terminal_reason: "aborted_streaming" });
  });

  test("still switches to the fallback model", async () => {
    const { result, model } = await hurried([...times(3, busy), "Done."], env, { fallbackModel: "haiku" });
    expect(result).toMatchObject({ subtype: "success" });
    expect(calls(model).at(-1)?.body?.model).toBe("claude-haiku-5-5");
  });

  test("stays within the budget: the cost of broken answers counts", async () => {
    const cut: Reply = { content: ["x".repeat(200)], fault: { kind: "error_event", at: "before_stop" } };
    const { result, engine, model } = await hurried(
      times(400, cut),
      { ...env, CLAUDE_CODE_MAX_RETRIES: "15" },
      { maxBudgetUsd: 0.1 },
    );
    expect(result).toMatchObject({ subtype: "error_max_budget_usd" });
    expect(model.bill.totalUsd).toBeLessThanOrEqual(0.1);
    expect(engine.getCost().totalUsd).toBeLessThanOrEqual(0.1);
  });

  test("counts answers that broke off, since each is billed, even between failures that do not count", async () => {
    const cut: Reply = { content: ["x".repeat(200)], fault: { kind: "error_event", at: "mid_block" } };
    const { result, requests, retries } = await hurried(times(400, cut), env);
    expect(result).toMatchObject({ terminal_reason: "model_error" });
    expect(requests).toBe(3);
    expect(retries.map(({ max_retries: most }) => most)).toEqual([2, 2]);
    const mixed = await hurried([...times(9, busy), cut, ...times(9, busy), cut, busy, cut, "Done."], env);
    expect(mixed.requests).toBe(22);
    const unbegun: Reply = { fault: { kind: "error_event", at: "first_event" } };
    expect((await hurried([...times(20, unbegun), "Done."], env)).result).toMatchObject({ result: "Done." });
  });

  test("works from settings as from the environment, and an invalid value is reported", async () => {
    const settings = JSON.stringify({ env });
    expect((await hurried([...times(5, busy), "Done."], {}, { settings })).requests).toBe(6);
    const { told, requests } = await hurried(times(4, busy), { ...env, CLAUDE_CODE_RETRY_WATCHDOG: "maybe" });
    expect(told).toContain("CLAUDE_CODE_RETRY_WATCHDOG is ignored: it is neither 1 nor 0.");
    expect(requests).toBe(3);
  });
});

test.each<[said: string, requests: number, told: string[]]>([
  ["0", 1, []],
  ["3", 4, []],
  ["15", 16, []],
  ["16", 16, ["CLAUDE_CODE_MAX_RETRIES is lowered to 15, its maximum."]],
  ["-1", 11, ["CLAUDE_CODE_MAX_RETRIES is ignored: it is not a whole number of at least 0."]],
  ["some", 11, ["CLAUDE_CODE_MAX_RETRIES is ignored: it is not a whole number of at least 0."]],
  ["", 11, []],
])("CLAUDE_CODE_MAX_RETRIES=%s makes %d requests", async (said, requests, told) => {
  const ran = await hurried(times(20, busy), { CLAUDE_CODE_MAX_RETRIES: said });
  expect(ran.requests).toBe(requests);
  expect(ran.told).toEqual(told);
});
