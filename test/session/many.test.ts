// Many sessions in one process: all end, none takes another's, and nothing is left of them.
import { afterEach, expect, test } from "vitest";
import { listenersLeft, moreThan, openOne, resources, signals, timers } from "./many-sessions.ts";
import { clearGroundsAfterwards, disposeAll, layGround, turn } from "./support.ts";
import { byTestDepth } from "../support/test-depth.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const count = byTestDepth(40, 200);
const turns = 10;

test(
  `${count} parallel sessions of ${turns} turns leave no handle, descriptor or listener`,
  { timeout: 60_000 },
  async () => {
    const ground = layGround();
    ground.file("known.txt", "what is known\n");
    await (await openOne(ground, turns)).dispose();
    const before = resources();
    const engines = await Promise.all(Array.from({ length: count }, () => openOne(ground, turns)));
    const results = await Promise.all(engines.map(async (engine) => (await turn(engine, "Go.")).result));
    for (const result of results)
      expect(result).toMatchObject({ subtype: "success", num_turns: turns, result: "Done." });
    expect(new Set(results.map((result) => result.session_id)).size).toBe(count);
    expect(new Set(engines.map((engine) => engine.getTranscriptPath())).size).toBe(count);
    for (const engine of engines) {
      const calls = engine
        .getMessages()
        .filter((message) => message.type === "user" && message.toolUseResult !== undefined);
      expect(calls.length).toBeGreaterThanOrEqual(turns - 1);
    }
    // All sessions together have one listener, for their locks, and a descriptor each.
    expect(moreThan(before).filter((name) => !/ descriptor$|^1 listener of exit$/.test(name))).toEqual([]);
    await disposeAll();
    await new Promise((resolve) => setImmediate(resolve));
    expect(moreThan(before)).toEqual([]);
    expect(signals.size).toBeGreaterThan(count * turns);
    expect(listenersLeft()).toBe(0);
    expect(timers.size).toBe(0);
    signals.clear();
  },
);

test("sessions that are interrupted leave no handle, descriptor or listener", { timeout: 60_000 }, async () => {
  const ground = layGround();
  ground.file("known.txt", "what is known\n");
  const before = resources();
  const engines = await Promise.all(Array.from({ length: 40 }, () => openOne(ground, turns, false)));
  const ends = await Promise.all(
    engines.map(async (engine, at) => {
      let seen = 0;
      const onMessage = () => ++seen === 2 + (at % 40) && engine.interrupt(at % 2 === 0 ? "user" : "interrupt");
      return (await turn(engine, "Go.", { onMessage })).result.terminal_reason;
    }),
  );
  expect(new Set(ends)).toContain("aborted_streaming");
  await disposeAll();
  await new Promise((resolve) => setImmediate(resolve));
  expect(moreThan(before)).toEqual([]);
  expect(listenersLeft()).toBe(0);
  expect(timers.size).toBe(0);
  signals.clear();
});
