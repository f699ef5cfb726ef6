// Many sessions in this process at once, each with calls of its own; what they leave is for the caller to look for.
import { getEventListeners } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import { tool } from "../../src/session/tools/custom-tool.ts";
import { openOn, scripted, type Ground } from "./support.ts";

/** Every signal that left a session: of requests, tools, hooks and questions. */
export const signals = new Set<AbortSignal>();

/** Timers that were set and neither fired nor stopped. */
export const timers = new Set<NodeJS.Timeout>();

const countingClock: NonNullable<EngineOptions["clock"]> = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  timestamp: () => new Date().toISOString(),
  timer(ms, onFire) {
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        onFire();
      },
      Math.min(ms, 2_147_483_647),
    );
    timers.add(timer);
    return () => {
      clearTimeout(timer);
      timers.delete(timer);
    };
  },
};

export function listenersLeft(): number {
  let left = 0;
  for (const signal of signals) left += getEventListeners(signal, "abort").length;
  return left;
}

/** By name, how many of it this process holds. */
export type Resources = Map<string, number>;

export function resources(): Resources {
  const held: Resources = new Map();
  const add = (name: string, count = 1): void => void held.set(name, (held.get(name) ?? 0) + count);
  // The test runner has timers of its own; those of sessions are counted by their clock.
  for (const name of process.getActiveResourcesInfo()) if (name !== "Timeout" && name !== "Immediate") add(name);
  for (const name of process.eventNames()) add(`listener of ${String(name)}`, process.listenerCount(name));
  if (existsSync("/proc/self/fd")) add("descriptor", readdirSync("/proc/self/fd").length);
  return held;
}

/** What there is more of than before. What other tests let go of meanwhile is nobody's fault. */
export function moreThan(before: Resources): string[] {
  return [...resources()].flatMap(([name, count]) => (count > (before.get(name) ?? 0) ? [`${count} ${name}`] : []));
}

/** A model that says the same in every session and remembers nothing: calls side by side, `turns` - 1 times, then an answer. */
function forgetful(turns: number, path: string): NonNullable<EngineOptions["transport"]> {
  return async ({ body }) => {
    const { messages } = JSON.parse(Buffer.from(body).toString()) as { messages: { role: string }[] };
    const made = messages.filter(({ role }) => role === "assistant").length;
    const events = made % turns === turns - 1 ? [...text(0, "Done.")] : calling(made, path);
    const stopReason = made % turns === turns - 1 ? "end_turn" : "tool_use";
    return {
      status: 200,
      headers: { "content-type": "text/event-stream" },
      body: stream([
        {
          type: "message_start",
          message: { id: `msg_${made}`, type: "message", role: "assistant", content: [], model: "m", usage },
        },
        ...events,
        { type: "message_delta", delta: { stop_reason: stopReason, stop_sequence: null }, usage },
        { type: "message_stop" },
      ]),
    };
  };
}

const usage = { input_tokens: 10, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

type Event = { type: string; [key: string]: unknown };

function text(index: number, words: string): Event[] {
  return [
    { type: "content_block_start", index, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index, delta: { type: "text_delta", text: words } },
    { type: "content_block_stop", index },
  ];
}

function calling(callCount: number, path: string): Event[] {
  const call = (index: number, name: string, input: object): Event[] => [
    {
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id: `call_${callCount}_${index}`, name, input: {} },
    },
    { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: JSON.stringify(input) } },
    { type: "content_block_stop", index },
  ];
  return [...text(0, "Looking."), ...call(1, "Read", { file_path: path }), ...call(2, "Look", {})];
}

async function* stream(events: readonly Event[]): AsyncGenerator<Uint8Array> {
  for (const event of events) yield Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** A session whose every user turn takes `turns` turns: two calls side by side each, then an answer. */
export async function openOne(ground: Ground, turns: number, keep = true): Promise<QueryEngine> {
  const look = tool("Look", "Looks.", { type: "object" }, async (_input, { signal }) => {
    signals.add(signal);
    return "seen";
  });
  const answer = forgetful(turns, `${ground.work}/known.txt`);
  return openOn(ground, scripted({}), {
    persistSession: keep,
    clock: countingClock,
    customTools: [look],
    hooks: {
      PreToolUse: [
        {
          callback: async (_input, { signal }) => {
            signals.add(signal);
          },
        },
      ],
    },
    ask: async (_question, signal) => {
      signals.add(signal);
      return { behavior: "allow" };
    },
    transport(exchange) {
      if (exchange.signal !== undefined) signals.add(exchange.signal);
      return answer(exchange);
    },
  });
}
