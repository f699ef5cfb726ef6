// How long a request may be silent, by what the environment says.
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { loopLimits } from "../../src/session/loop/loop-limits.ts";
import { requestLimits } from "../../src/session/model/request-limits.ts";
import { variablesOf } from "../../src/session/options/variables.ts";
import { manualTimers, settle, type ManualTimers } from "../model/support/manual-timers.ts";
import { end, open, said, sse, start, stop, streaming, text, textBlock } from "../model/support/wire.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const minute = 60_000;

type Body = (timers: ManualTimers) => AsyncIterable<Uint8Array>;

/** A turn whose first answer has this body, or none at all, and whose second is whole. The clock moves where a body moves it. */
async function asked(first: Body | "never", env: EngineOptions["env"], hungMs = 0) {
  const timers = manualTimers(Date.parse("2026-11-20T08:00:00Z"));
  const told: string[] = [];
  let requests = 0;
  const reached = Promise.withResolvers<void>();
  const transport: EngineOptions["transport"] = () => {
    requests += 1;
    const body = requests > 1 ? whole() : first === "never" ? undefined : first(timers);
    if (body !== undefined) return Promise.resolve({ status: 200, headers: streaming, body });
    reached.resolve();
    return new Promise(() => undefined);
  };
  const clock = { ...timers, timestamp: () => new Date(timers.now()).toISOString() };
  const options: EngineOptions = { clock, transport, onNotice: (line) => told.push(line), env };
  const engine = await openOn(layGround(), scripted({}), options);
  const waits: string[] = [];
  const pauses: Promise<void>[] = [];
  const running = turn(engine, "Go.", {
    onMessage(message) {
      if (message.type !== "system" || message.subtype !== "api_retry") return;
      waits.push(message.message);
      // The pause begins once this is over.
      pauses.push(settle().then(() => timers.advance(message.retry_delay_ms)));
    },
  });
  let before = 0;
  if (first === "never") {
    await reached.promise;
    await settle();
    await timers.advance(hungMs - 1);
    before = requests + waits.length;
    await timers.advance(1);
  }
  const { result } = await running;
  await Promise.all(pauses);
  return { result, requests, waits, told, before };
}

async function* whole(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(said("Done."));
}

/** What is sent, each piece after so much silence. */
function paced(...pieces: [silenceMs: number, text: string][]): Body {
  return async function* (timers) {
    for (const [silenceMs, piece] of pieces) {
      await timers.advance(silenceMs);
      yield Buffer.from(piece);
    }
  };
}

const opening = sse(start(), open(0, { type: "text", text: "" }));
const ending = sse({ type: "content_block_stop", index: 0 }, end(), stop);
const words = Array.from({ length: 12 }, (): [number, string] => [20_000, sse(text(0, "word "))]);

describe("API_TIMEOUT_MS", () => {
  test.each<[EngineOptions["env"], hungMs: number]>([
    [{}, minute],
    [{ API_TIMEOUT_MS: "30000" }, 30_000],
    [{ API_TIMEOUT_MS: "3000000" }, 50 * minute],
    [{ API_TIMEOUT_MS: "3000000", PAWL_FIRST_BYTE_TIMEOUT_MS: "90000" }, 90_000],
    [{ PAWL_FIRST_BYTE_TIMEOUT_MS: "300" }, 300],
  ])("%j: a silent server is given up after %d ms", async (env, hungMs) => {
    const { result, requests, waits, before } = await asked("never", env, hungMs);
    expect(before).toBe(1);
    expect(result).toMatchObject({ subtype: "success", result: "Done." });
    expect(requests).toBe(2);
    expect(waits[0]).toContain(`sent nothing for ${hungMs / 1_000} seconds`);
  });

  test("of half a minute does not cut an answer that keeps arriving, however long it takes", async () => {
    const slow = paced([20_000, opening], ...words, [20_000, ending]);
    const { result, requests } = await asked(slow, { API_TIMEOUT_MS: "30000" });
    expect(result).toMatchObject({ subtype: "success", result: "word ".repeat(12) });
    expect(requests).toBe(1);
  });

  test("of half a minute gives up a server that sends only pings", async () => {
    const pings = Array.from({ length: 12 }, (): [number, string] => [5_000, ": waiting\n\n"]);
    const pinging = paced(...pings, [5_000, said("Too late.")]);
    const { result, requests, waits } = await asked(pinging, { API_TIMEOUT_MS: "30000" });
    expect([requests, result]).toEqual([2, expect.objectContaining({ result: "Done." })]);
    expect(waits[0]).toContain("sent nothing for 30 seconds");
    expect(await asked(pinging, {})).toMatchObject({ requests: 1, result: { result: "Too late." } });
    const own = { API_TIMEOUT_MS: "30000", PAWL_IDLE_TIMEOUT_MS: "7000" };
    expect(await asked(pinging, own)).toMatchObject({ requests: 2, result: { result: "Done." } });
    const slower = paced([0, ": waiting\n\n"], [8_000, said("Too late.")]);
    expect(await asked(slower, own)).toMatchObject({ requests: 2 });
    expect(await asked(slower, { API_TIMEOUT_MS: "30000" })).toMatchObject({ requests: 1 });
  });

  test("of half a minute ends a longer pause within an answer", async () => {
    const stuck = paced([0, opening], [0, sse(text(0, "word"))], [31_000, ending]);
    expect(await asked(stuck, { API_TIMEOUT_MS: "30000" })).toMatchObject({ requests: 2 });
    expect(await asked(stuck, {})).toMatchObject({ requests: 1 });
  });

  test("of an hour gives an opened answer time to start, but allows no longer pauses in it", async () => {
    const env = { API_TIMEOUT_MS: "3600000" };
    const reading = paced([40 * minute, opening], [59 * minute, sse(text(0, "word"))], [59_000, ending]);
    expect(await asked(reading, env)).toMatchObject({ requests: 1, result: { result: "word" } });
    expect(await asked(reading, {})).toMatchObject({ requests: 2 });
    const stuck = paced([40 * minute, opening], [0, sse(text(0, "word"))], [61_000, ending]);
    expect(await asked(stuck, env)).toMatchObject({ requests: 2 });
  });
});

test("CLAUDE_STREAM_IDLE_TIMEOUT_MS sets the allowed pause, and CLAUDE_ENABLE_STREAM_WATCHDOG=0 allows the whole request time", async () => {
  const pausing = (ms: number): Body => paced([0, opening], [0, sse(text(0, "word"))], [ms, ending]);
  const idle = { CLAUDE_STREAM_IDLE_TIMEOUT_MS: "400000" };
  expect(await asked(pausing(399_000), idle)).toMatchObject({ requests: 1 });
  expect(await asked(pausing(401_000), idle)).toMatchObject({ requests: 2 });
  const unwatched = { CLAUDE_ENABLE_STREAM_WATCHDOG: "0" };
  expect(await asked(pausing(599_000), unwatched)).toMatchObject({ requests: 1 });
  expect(await asked(pausing(601_000), unwatched)).toMatchObject({ requests: 2 });
});

test("a request whose stream breaks off is repeated as a stream", async () => {
  const cut: Body = paced([0, sse(start(), ...textBlock(0, "half"))]);
  const { requests, result } = await asked(cut, { CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1" });
  expect(requests).toBe(2);
  expect(result).toMatchObject({ result: "Done." });
});

test("the limits around a request are longer than the request's own limit", () => {
  const around = { env: {}, notice: () => undefined };
  expect(loopLimits({}, around)).toMatchObject({ modelSilenceMs: 15 * minute, compactionMs: 10 * minute });
  expect(loopLimits({}, around, 50 * minute)).toMatchObject({
    modelSilenceMs: 51 * minute,
    compactionMs: 101 * minute,
  });
  const most = 2_147_483_647;
  expect(loopLimits({}, around, most)).toMatchObject({ modelSilenceMs: most, compactionMs: most });
});

test("a limit of undefined means the default", () => {
  const around = { env: {}, notice: () => undefined };
  const given = { modelSilenceMs: undefined, hookMs: undefined, toolMs: 5 };
  expect(loopLimits({ limits: given }, around)).toEqual({ ...loopLimits({}, around), toolMs: 5 });
});

test.each<[Record<string, string>, object, told?: string]>([
  [{}, {}],
  [{ API_TIMEOUT_MS: "" }, {}],
  [{ API_TIMEOUT_MS: "600000" }, { firstByteMs: 600_000, openingMs: 600_000, longestMs: 600_000 }],
  [{ API_TIMEOUT_MS: "60000" }, { firstByteMs: 60_000, openingMs: 60_000, longestMs: 60_000 }],
  [{ API_TIMEOUT_MS: "1" }, { firstByteMs: 1, openingMs: 1, idleMs: 1, longestMs: 1 }],
  [{ API_TIMEOUT_MS: "0" }, {}, "API_TIMEOUT_MS is ignored: it is not a whole number from 1 to 2147483647."],
  [{ API_TIMEOUT_MS: "10m" }, {}, "API_TIMEOUT_MS is ignored: it is not a whole number from 1 to 2147483647."],
  [{ API_TIMEOUT_MS: "2147483648" }, {}, "API_TIMEOUT_MS is ignored: it is not a whole number from 1 to 2147483647."],
  [
    { API_TIMEOUT_MS: "2147483647" },
    { firstByteMs: 2_147_483_647, openingMs: 2_147_483_647, longestMs: 2_147_483_647 },
  ],
  [
    { API_TIMEOUT_MS: "3000000", PAWL_IDLE_TIMEOUT_MS: "5000" },
    { firstByteMs: 3e6, openingMs: 3e6, openingIdleMs: 5_000, idleMs: 5_000, longestMs: 3e6 },
  ],
  [
    { PAWL_IDLE_TIMEOUT_MS: "soon" },
    {},
    "PAWL_IDLE_TIMEOUT_MS is ignored: it is not a whole number from 1 to 2147483647.",
  ],
  [
    { CLAUDE_STREAM_IDLE_TIMEOUT_MS: "1000" },
    { idleMs: 300_000, longestMs: 300_000 },
    "CLAUDE_STREAM_IDLE_TIMEOUT_MS is raised to 300000, its minimum. PAWL_IDLE_TIMEOUT_MS may be lower.",
  ],
  [
    { CLAUDE_STREAM_IDLE_TIMEOUT_MS: "400000", CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: "90000" },
    { idleMs: 90_000, longestMs: 90_000 },
  ],
  [
    { CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: "90000", PAWL_IDLE_TIMEOUT_MS: "7" },
    { idleMs: 7, longestMs: 7 },
  ],
  [{ CLAUDE_ENABLE_STREAM_WATCHDOG: "1", API_FORCE_IDLE_TIMEOUT: "1" }, {}],
  [{ API_FORCE_IDLE_TIMEOUT: "0" }, { idleMs: 600_000, longestMs: 600_000 }],
  [{ API_FORCE_IDLE_TIMEOUT: "1", CLAUDE_ENABLE_STREAM_WATCHDOG: "0" }, {}],
  [
    { CLAUDE_ENABLE_STREAM_WATCHDOG: "0", API_TIMEOUT_MS: "3000000", CLAUDE_STREAM_IDLE_TIMEOUT_MS: "300000" },
    { firstByteMs: 3e6, openingMs: 3e6, idleMs: 3e6, longestMs: 3e6 },
  ],
  [{ CLAUDE_ENABLE_STREAM_WATCHDOG: "2" }, {}, "CLAUDE_ENABLE_STREAM_WATCHDOG is ignored: it is neither 1 nor 0."],
])("the limits for %j", (env, limits, ...sentences) => {
  const told: string[] = [];
  const notice = (line: string): void => void told.push(line);
  expect(requestLimits(variablesOf(env, notice), notice)).toEqual(limits);
  expect(told).toEqual(sentences);
});
