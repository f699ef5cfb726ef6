/** One request to a collector. Never throws and never outlasts its limit; no redirect is followed, and nothing of the answer is kept. */
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";

export type Posted =
  | { ok: true }
  /** `mayRetry`: the same may be taken later. */
  | { ok: false; why: string; mayRetry: boolean };

export interface Post {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  timeoutMs: number;
  signal: AbortSignal;
}

const busy: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

export function post({ url, headers, body, timeoutMs, signal }: Post): Promise<Posted> {
  return new Promise((resolve) => {
    const send = url.protocol === "https:" ? secureRequest : plainRequest;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const failed = (error: Error): void => resolve(outcomeOf(error, signal, timeoutMs));
    try {
      const request = send(url, {
        method: "POST",
        headers: { ...headers, "content-length": String(body.length) },
        signal: limit,
        agent: false,
      });
      // What is sent keeps no process alive: the end of a session waits for it by itself.
      request.on("socket", (socket) => void socket.unref());
      request.on("error", failed);
      request.on("response", (response) => {
        response.on("error", failed);
        const status = response.statusCode ?? 0;
        const isTaken = status >= 200 && status < 300;
        resolve(isTaken ? { ok: true } : { ok: false, why: `it answered ${status}`, mayRetry: busy.has(status) });
        // Its status is all that counts: an answer without an end holds nothing up.
        response.destroy();
      });
      request.end(body);
    } catch (error) {
      failed(error as Error);
    }
  });
}

function outcomeOf(error: Error, signal: AbortSignal, timeoutMs: number): Posted {
  if (signal.aborted) return { ok: false, why: "the session ended before it answered", mayRetry: false };
  if (error.name === "AbortError" || error.name === "TimeoutError")
    return { ok: false, why: `it did not answer within ${timeoutMs} ms`, mayRetry: true };
  const code = "code" in error && typeof error.code === "string" ? error.code : error.message;
  return { ok: false, why: code.slice(0, 200), mayRetry: true };
}
