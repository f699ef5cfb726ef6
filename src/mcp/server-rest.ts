/** A server that refuses a request because it is asked too often may say when it wants to be asked again (`Retry-After`). */
import { SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { errorText } from "../lib/error-text.ts";
import { formatDuration } from "../lib/format-figures.ts";
import { rejectOnAbort } from "../lib/reject-on-abort.ts";
import { retryDelayMs } from "../lib/retry-delay.ts";
import { httpFailure } from "./http-failure.ts";
import { parseMessage } from "./stream-messages.ts";
import type { McpClock, McpWorld } from "./world.ts";

/** The longest rest that a request waits for, ms, and how many of them in a row. */
export const maxRestMs = 60_000;
const maxRests = 3;

const restStatuses: ReadonlySet<number> = new Set([429, 503]);

/** What opens a connection. The transports cannot begin again, so these messages rest by themselves. */
const openingMethods: ReadonlySet<unknown> = new Set(["server/discover", "initialize", "notifications/initialized"]);

/** The share of the connection time limit in which such a rest must end: the answer needs some time, too. */
const restTimeShare = 1 / 2;

type Fetch<Init> = (url: string | URL, init?: Init) => Promise<Response>;

/** A refused request whose server says when it wants the next one. */
class AskedTooOften extends SdkHttpError {
  readonly restMs: number;

  constructor({ status, statusText }: Response, text: string, restMs: number) {
    const data = { status, statusText, text };
    super(SdkErrorCode.ClientHttpNotImplemented, `Error POSTing to endpoint: ${text}`, data);
    this.restMs = restMs;
  }
}

/** How long the server wants to rest before the next connection, ms; undefined if it does not say, or wants no rest. */
export function wantedRestMs(error: unknown): number | undefined {
  return error instanceof AskedTooOften && error.restMs > 0 ? error.restMs : undefined;
}

/** Rejects with `AskedTooOften` for such an answer: the transports keep none of its headers. */
function withRests<Init extends RequestInit>(fetchImpl: Fetch<Init>): Fetch<Init> {
  return async (asked, init) => {
    const response = await fetchImpl(asked, init);
    const restMs = restStatuses.has(response.status) && isRequest(init?.body) ? restMsOf(response) : undefined;
    if (restMs === undefined) return response;
    throw new AskedTooOften(response, await response.text().catch(() => ""), restMs);
  };
}

/** Logins and listening streams use the same `fetch`. */
function isRequest(body: unknown): boolean {
  return methodIn(body) !== undefined;
}

function methodIn(body: unknown): unknown {
  return typeof body === "string" ? parseMessage(body).method : undefined;
}

/** Makes a request, and again after rests that the server asks for. Rejects as the request does. */
export type RestingRequest = <T>(ask: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** For an attempt to connect that begins now: requests are made again after each rest that leaves time for an answer. */
export function createRestingRequest(
  world: Pick<McpWorld, "clock" | "random" | "connectMs">,
  log: (text: string) => void,
): RestingRequest {
  const { clock, connectMs } = world;
  const endsAt = clock.elapsed() + connectMs * restTimeShare;
  return (ask, signal) => callAfterRests(ask, world, signal, log, () => endsAt - clock.elapsed());
}

/** Rejects with `AskedTooOften` if the server names a rest, except for the messages that open a connection: see `createRestingRequest`. */
export function withRestsAtStart<Init extends RequestInit>(
  fetchImpl: Fetch<Init>,
  world: Pick<McpWorld, "clock" | "random" | "connectMs">,
  log: (text: string) => void,
): Fetch<Init> {
  const fetchOnce = withRests(fetchImpl);
  const afterRests = createRestingRequest(world, log);
  return (asked, init) => {
    const send = () => fetchOnce(asked, init);
    const isOpening = openingMethods.has(methodIn(init?.body));
    return isOpening ? afterRests(send, init?.signal ?? new AbortController().signal) : send();
  };
}

/** A date counts from the server's own time, which may differ from the time here. */
function restMsOf({ headers }: Response): number | undefined {
  return retryDelayMs(Object.fromEntries(headers), Date.parse(headers.get("date") ?? ""));
}

/**
 * Calls again after each rest that the server asks for: the refused call had no effect. Throws what the call throws. `timeLeftMs`: a
 * longer rest is left to the caller.
 */
export async function callAfterRests<T>(
  call: () => Promise<T>,
  { clock, random }: Pick<McpWorld, "clock" | "random">,
  signal: AbortSignal,
  log: (text: string) => void,
  timeLeftMs?: () => number,
): Promise<T> {
  for (let rests = 0; ; rests += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof AskedTooOften) || signal.aborted) throw error;
      const { restMs } = error;
      if (timeLeftMs !== undefined && (rests === maxRests || restMs > Math.min(maxRestMs, timeLeftMs()))) throw error;
      const wish = `${httpFailure(error) ?? errorText(error)}; it asks to wait ${formatDuration(restMs)} before the next try`;
      if (rests === maxRests || restMs > maxRestMs) throw new Error(wish);
      log(wish);
      await rest(clock, restMs * (1 + random() / 4), signal);
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
