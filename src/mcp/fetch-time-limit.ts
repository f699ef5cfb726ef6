/** A `fetch` for logins, so that somebody waiting at a terminal learns which server does not answer. */
import type { WaitingInit } from "../lib/proxied-fetch.ts";
import { formatDuration } from "../lib/format-figures.ts";
import type { RemoteServer } from "./server.ts";
import type { McpClock } from "./world.ts";

type Fetch = (url: string | URL, init?: WaitingInit) => Promise<Response>;

interface FetchLimit {
  clock: Pick<McpClock, "timer">;
  limitMs: number;
  type: RemoteServer["type"];
}

/** Rejects if no answer begins within `limitMs`. An `http` notification stream is exempt: it may begin with its first event. */
export function fetchWithTimeLimit(fetchImpl: Fetch, { clock, limitMs, type }: FetchLimit): Fetch {
  return async (url, init = {}) => {
    const isNotificationStream = type === "http" && new Headers(init.headers).get("accept") === "text/event-stream";
    if (isNotificationStream) return await fetchImpl(url, init);
    const late = new AbortController();
    const { origin } = new URL(url);
    // A TypeError, as from `fetch`: the client takes other errors for an answer, namely that there is none.
    const why = new TypeError(`${origin} did not answer within ${formatDuration(limitMs)}`);
    const stop = clock.timer(limitMs, () => late.abort(why));
    const signal = AbortSignal.any([late.signal, ...(init.signal == null ? [] : [init.signal])]);
    try {
      return await fetchImpl(url, { ...init, signal });
    } finally {
      stop();
    }
  };
}
