// A background agent that stays silent is ended, and its end is reported.
import { afterEach, describe, expect, test } from "vitest";
import { StallWatch } from "../../src/session/agents/stall-watch.ts";
import type { ModelInfo, ModelPort, ModelRequest, ModelStream } from "../../src/protocol/model.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import { tool } from "../../src/session/tools/custom-tool.ts";
import type { Reply, Script } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, openSession, turn } from "./support.ts";
import { isAgent } from "../support/is-agent.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

/** Time that the test lets pass. */
class Clock {
  #now = 0;
  #timers: { at: number; fire: () => void }[] = [];
  elapsed = (): number => this.#now;
  timer = (ms: number, fire: () => void): (() => void) => {
    const entry = { at: this.#now + ms, fire };
    this.#timers.push(entry);
    return () => void (this.#timers = this.#timers.filter((each) => each !== entry));
  };
  pass(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((each) => each !== next);
      this.#now = next.at;
      next.fire();
    }
    this.#now = until;
  }
}

async function* none(): AsyncGenerator<never, never> {
  yield* [];
  return undefined as never;
}

const says = (...content: unknown[]) =>
  ({ type: "assistant", parent_tool_use_id: null, message: { content } }) as unknown as SDKMessage;
const gets = (id: string) =>
  ({
    type: "user",
    parent_tool_use_id: null,
    message: { content: [{ type: "tool_result", tool_use_id: id }] },
  }) as unknown as SDKMessage;

describe("the silence of an agent", () => {
  function watch(ms = 600_000) {
    const clock = new Clock();
    let stalls = 0;
    return { clock, stall: new StallWatch(clock, ms, () => (stalls += 1)), stalls: () => stalls };
  }

  test("ends with each event of the model, whether awaited or ready", async () => {
    const { clock, stall, stalls } = watch();
    const event = { done: false, value: { type: "raw", event: { type: "ping" } } } as const;
    const source: ModelStream = Object.assign(none(), { next: () => Promise.resolve(event), ready: () => event });
    const model: ModelPort = { stream: () => source, measure: () => ({ bytes: 0 }), info: () => ({}) as ModelInfo };
    const stream = stall.watchModel(model).stream({} as ModelRequest, new AbortController().signal);
    for (const take of [() => stream.next(), () => stream.ready?.()]) {
      clock.pass(599_999);
      expect(await take()).toBe(event);
    }
    clock.pass(599_999);
    expect(stalls()).toBe(0);
  });

  test("is counted from the last sign of life and reported once", () => {
    const { clock, stall, stalls } = watch();
    clock.pass(599_000);
    stall.noteActivity();
    clock.pass(599_999);
    expect(stalls()).toBe(0);
    clock.pass(1);
    expect(stalls()).toBe(1);
    clock.pass(10_000_000);
    expect(stalls()).toBe(1);
  });

  test("does not count while a tool call runs", () => {
    const { clock, stall, stalls } = watch();
    stall.take(says({ type: "tool_use", id: "toolu_1" }));
    clock.pass(659_999);
    expect(stalls()).toBe(0);
    stall.take(gets("toolu_1"));
    clock.pass(599_999);
    expect(stalls()).toBe(0);
    clock.pass(1);
    expect(stalls()).toBe(1);
  });

  test("does not count while a person is asked", async () => {
    const { clock, stall, stalls } = watch();
    const { promise, resolve } = Promise.withResolvers<string>();
    const answer = stall.pauseDuring(promise);
    clock.pass(100 * 600_000);
    expect(stalls()).toBe(0);
    resolve("yes");
    expect(await answer).toBe("yes");
    clock.pass(600_001);
    expect(stalls()).toBe(1);
  });

  test.each([0])("has no limit with %d, and ends with the agent", (ms) => {
    const { clock, stalls } = watch(ms);
    clock.pass(1e9);
    const { clock: other, stall, stalls: others } = watch();
    stall.stop();
    other.pass(1e9);
    expect([stalls(), others()]).toEqual([0, 0]);
  });
});

/** The session starts one agent in the background, which calls Wait for ever. */
function script(): Script {
  const input = { description: "a small task", prompt: "slow", run_in_background: true };
  const own: (Reply | string)[] = [{ content: [{ tool: "Agent", input }] }, "It runs."];
  const below: Reply = { content: ["Half is done.", { tool: "Wait", input: {} }] };
  return { rules: [{ when: {}, reply: (view) => (isAgent(view) ? below : (own[view.turns] ?? "Done.")) }] };
}

test("tells the model what a stalled agent said last; an agent that is waited for is left alone", async () => {
  const clock = new Clock();
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
  const wait = tool("Wait", "Waits.", { type: "object" }, async (_input, { signal }) => {
    enter();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return "";
  });
  const timers: { ms: number; fire: () => void }[] = [];
  const held = {
    now: () => Date.now(),
    elapsed: clock.elapsed,
    timestamp: () => new Date().toISOString(),
    timer(ms: number, fire: () => void) {
      if (ms === 4_321_000) timers.push({ ms, fire });
      const timer = ms >= 1000 ? undefined : setTimeout(fire, ms);
      return () => clearTimeout(timer);
    },
  };
  const { engine, model } = await openSession(script(), {
    customTools: [wait],
    allowedTools: ["Wait"],
    clock: held,
    env: { CLAUDE_ASYNC_AGENT_STALL_TIMEOUT_MS: "4321000" },
  });
  await turn(engine, "Go.");
  await entered;
  expect(timers).toHaveLength(1);
  clock.pass(4_321_000 + 60_000);
  timers[0]?.fire();
  await engine.whenAgentsEnd();
  await turn(engine, "Well?");
  const said = JSON.stringify(calls(model).at(-1)?.body);
  expect(said).toContain("has ended: failed.");
  expect(said).toContain("The agent was silent for 4321 s and was ended.\\nIts last words:\\nHalf is done.");
});

test("waits for every agent when background work is off, whatever the call says", async () => {
  const input = { description: "a small task", prompt: "quick", run_in_background: true };
  const own: (Reply | string)[] = [{ content: [{ tool: "Agent", input }] }];
  const { engine, model } = await openSession(
    { rules: [{ when: {}, reply: (view) => (isAgent(view) ? "the answer" : (own[view.turns] ?? "Done.")) }] },
    { env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" } },
  );
  await turn(engine, "Go.");
  const last = calls(model).at(-1)?.body;
  expect(JSON.stringify(last?.messages)).toContain("the answer");
  expect(JSON.stringify(last?.tools)).not.toContain("run_in_background");
});
