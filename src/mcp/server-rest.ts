/** A server that refuses a request because it is asked too often may say when it wants to be asked again (`Retry-After`). */
import { errorText } from "../lib/error-text.ts";
import { formatDuration } from "../lib/format-figures.ts";
import { rejectOnAbort } from "../lib/reject-on-abort.ts";
import { retryDelayMs } from "../lib/retry-delay.ts";
import { httpFailure, httpStatusOf } from "./http-failure.ts";
import type { OpenTransport } from "./transport.ts";
import type { McpClock, McpWorld } from "./world.ts";

/** The longest rest that a request waits for, ms, and how many of them in a row. */
const maxRestMs = 60_000;
const maxRests = 3;

const restStatuses: ReadonlySet<number> = new Set([429, 503]);

/** Remembers until when one server wants no requests. */
export class ServerRest {
  readonly #clock: Pick<McpClock, "elapsed">;
  #until = -Infinity;

  constructor(clock: Pick<McpClock, "elapsed">) {
    this.#clock = clock;
  }

  noteResponse({ status, headers }: Response): void {
    if (!restStatuses.has(status)) return;
    // A date counts from the server's own time, which may differ from the time here.
    const ms = retryDelayMs(Object.fromEntries(headers), Date.parse(headers.get("date") ?? ""));
    if (ms !== undefined) this.#until = Math.max(this.#until, this.#clock.elapsed() + ms);
  }

  /** How long to wait before a request that was refused with this error is made again, ms; undefined if the server does not say. */
  msAfter(error: unknown): number | undefined {
    if (!restStatuses.has(statusOf(error)) || this.#until === -Infinity) return undefined;
    return Math.max(this.#until - this.#clock.elapsed(), 0);
  }
}

/** The older HTTP transport has the status of a refused message in its words alone. */
function statusOf(error: unknown): number {
  return httpStatusOf(error) ?? Number(/^Error POSTing to endpoint \(HTTP (\d+)\)/u.exec(errorText(error))?.[1] ?? 0);
}

/** Calls again after each rest that the server asks for: the refused call had no effect. Throws what the call throws. */
export async function callAfterRests<T>(
  call: () => Promise<T>,
  open: () => Pick<OpenTransport, "restAfter"> | undefined,
  world: Pick<McpWorld, "clock" | "random">,
  signal: AbortSignal,
): Promise<T> {
  for (let rests = 0; ; rests += 1) {
    try {
      return await call();
    } catch (error) {
      const ms = open()?.restAfter?.(error);
      if (ms === undefined || signal.aborted) throw error;
      if (rests === maxRests || ms > maxRestMs)
        throw new Error(
          `${httpFailure(error) ?? errorText(error)}; it asks to wait ${formatDuration(ms)} before the next try`,
        );
      await rest(world.clock, ms * (1 + world.random() / 4), signal);
    }
  }
}

async function rest(clock: Pick<McpClock, "timer">, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = clock.timer(ms, resolve);
  try {
    await rejectOnAbort(promise, signal);
  } finally {
    stop();
  }
}
