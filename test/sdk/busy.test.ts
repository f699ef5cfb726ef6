// Whatever a session is at: an interrupt has its receipt at once and leaves it usable, and leaving it leaves nothing behind.
import { getEventListeners } from "node:events";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { query, type EngineOptions, type PromptInput, type Query } from "../../src/index.ts";
import type { SDKMessage, SDKResultMessage } from "../../src/protocol/sdk.ts";
import { moreThan, resources } from "../session/many-sessions.ts";
import { clearGroundsAfterwards, layGround, listed, optionsFor, scripted, type Ground } from "../session/support.ts";
import { busyStates, type BusyState } from "./busy-states.ts";

clearGroundsAfterwards();

/** What is made under a name of its own is known by it. */
const ours = `b05b05b0-${process.pid.toString(16).padStart(4, "0").slice(-4)}`;
let made = 0;
const ids = { uuid: () => `${ours}-4000-8000-${(made += 1).toString(16).padStart(12, "0")}`, random: () => 0.5 };

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Begun {
  running: Query;
  ground: Ground;
  /** Resolves in the state. */
  reached: Promise<void>;
  /** From here on the model answers, and prompts are plain ones. */
  calm: () => void;
  say: (prompt: PromptInput) => void;
  messages: SDKMessage[];
  /** Resolves with the next result. */
  result: () => Promise<SDKResultMessage>;
}

function begin(state: BusyState, more: EngineOptions = {}): Begun {
  const ground = layGround();
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const model = scripted({ steps: state.steps, fallback: "Calm." });
  let isCalm = false;
  let asked = 0;
  const options = optionsFor(ground, model, {
    ...state.options(() => resolve()),
    ...more,
    async transport(exchange) {
      const at = asked++;
      if (isCalm || at < (state.silentFrom ?? Infinity)) return await model.handle(exchange);
      resolve();
      return await new Promise((_, reject) => {
        exchange.signal?.addEventListener("abort", () => reject(exchange.signal?.reason), { once: true });
      });
    },
  });
  const waiting: PromptInput[] = [];
  let wake = (): void => undefined;
  async function* prompts(): AsyncGenerator<PromptInput> {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else await new Promise<void>((go) => (wake = go));
    }
  }
  const running = query({ prompt: prompts(), options });
  const messages: SDKMessage[] = [];
  return {
    running,
    ground,
    reached,
    messages,
    calm: () => void (isCalm = true),
    say: (prompt) => {
      waiting.push(prompt);
      wake();
    },
    async result() {
      for (;;) {
        const { value } = await running.next();
        if (value === undefined) throw new Error("over without a result");
        messages.push(value);
        if (value.type === "result") return value;
      }
    },
  };
}

describe.each(busyStates.map((state) => [state.name, state] as const))("while it waits for %s", (_, state) => {
  test("two interrupts each get a receipt at once, and the session goes on", async () => {
    const begun = begin(state);
    const { running, reached, say, result, calm } = begun;
    await intoPlace(state, begun);
    const first = result();
    await reached;
    await immediate();
    calm();
    const receipts: unknown[] = [];
    const asked = [running.interrupt(), running.interrupt()].map((each) => each.then((it) => receipts.push(it)));
    for (let at = 0; at < 20 && receipts.length < 2; at += 1) await immediate();
    expect(receipts).toEqual([{ still_queued: [] }, { still_queued: [] }]);
    await Promise.all(asked);
    expect(await first).toMatchObject({ type: "result" });
    const second = result();
    say("And now?");
    expect(await second).toMatchObject({ type: "result" });
    await running.close();
  });
});

/** Everything that a session may leave outside itself. */
function leftovers(ground: Ground): string[] {
  const inHome = listed(ground.home).filter((path) => path.includes("lock"));
  const temporary = readdirSync(tmpdir()).filter((name) => name.includes(ours));
  return [...inHome, ...temporary];
}

async function intoPlace(state: BusyState, { say, result }: Begun): Promise<void> {
  for (const prompt of state.before ?? []) {
    say(prompt);
    await result();
  }
  say(state.prompt ?? "Go.");
}

test.each(busyStates.map((state) => [state.name, state] as const))(
  "a query that is closed or left while it waits for %s leaves nothing behind",
  async (_, state) => {
    const before = resources();
    const nothingIsLeft = async ({ running, ground }: Begun, { signal }: AbortController): Promise<void> => {
      await immediate();
      expect(getEventListeners(signal, "abort")).toEqual([]);
      expect(moreThan(before)).toEqual([]);
      expect(leftovers(ground)).toEqual([]);
      expect(await running.interrupt()).toEqual({ still_queued: [] });
      await expect(running.supportedModels()).rejects.toThrow("This query is over");
      expect(await running.next()).toEqual({ done: true, value: undefined });
    };
    const abortController = new AbortController();
    const closed = begin(state, { abortController, ids });
    await intoPlace(state, closed);
    const came = closed.messages.length;
    const read = closed.result().catch(() => undefined);
    await closed.reached;
    await immediate();
    let left = closed.messages.length - came;
    await closed.running.close();
    await read;
    await nothingIsLeft(closed, abortController);
    if (left === 0) return;
    const broken = begin(state, { abortController, ids });
    await intoPlace(state, broken);
    for await (const _message of broken.running) if (--left === 0) break;
    await nothingIsLeft(broken, abortController);
  },
);
