// What the programs share that run a session with a model in the same process: the built library, CPU time, and streamed replies.
import type { createEngine, tool } from "../src/index.ts";

export const library = (await import(process.env["BENCH_LIBRARY"] ?? "")) as {
  createEngine: typeof createEngine;
  tool: typeof tool;
};

/** Returns the CPU milliseconds of this process so far, including its threads. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export interface StreamEvent {
  type: string;
  [field: string]: unknown;
}

/** Returns a response that streams these events. */
export function streamedResponse(events: readonly StreamEvent[]) {
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return {
    status: 200,
    headers: { "content-type": "text/event-stream" },
    body: (async function* () {
      yield Buffer.from(text);
    })(),
  };
}
