/** Sends one request to a collector. Never throws and never exceeds its time limit; follows no redirect and ignores the response body. */
import { proxyUnlessLocal, requestOnce } from "../lib/proxy.ts";
import type { Environment } from "../lib/environment.ts";

export type PostResult =
  | { ok: true }
  /** `mayRetry`: the same data may be accepted later. */
  | { ok: false; why: string; mayRetry: boolean };

export interface PostRequest {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  timeoutMs: number;
  signal: AbortSignal;
  /** The variables that name the proxy, if there is one. */
  proxies: Environment;
}

const retryableStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

export function post({ url, headers, body, timeoutMs, signal, proxies }: PostRequest): Promise<PostResult> {
  return new Promise((resolve) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const failed = (error: Error): void => {
      const isLate = limit.aborted && !signal.aborted;
      resolve(isLate ? lateResult(timeoutMs) : outcomeOf(error, signal));
    };
    try {
      const requestHeaders = { ...headers, "content-length": String(body.length) };
      const connection = { proxy: proxyUnlessLocal(url, proxies), isUnref: true };
      const request = requestOnce(url, { method: "POST", headers: requestHeaders, signal: limit }, connection);
      // Sending does not keep the process alive: the end of a session waits for it explicitly.
      request.on("socket", (socket) => void socket.unref());
      request.on("error", failed);
      // A change of protocol closes the connection without an error or a response.
      request.on("close", () => failed(new Error("it closed the connection")));
      request.on("response", (response) => {
        response.on("error", failed);
        const status = response.statusCode ?? 0;
        const isAccepted = status >= 200 && status < 300;
        resolve(
          isAccepted
            ? { ok: true }
            : { ok: false, why: `it answered ${status}`, mayRetry: retryableStatuses.has(status) },
        );
        // Only the status matters: an endless response must not hold anything up.
        response.destroy();
      });
      request.end(body);
    } catch (error) {
      failed(error as Error);
    }
  });
}

function lateResult(timeoutMs: number): PostResult {
  return { ok: false, why: `it did not answer within ${timeoutMs} ms`, mayRetry: true };
}

function outcomeOf(error: Error, signal: AbortSignal): PostResult {
  if (signal.aborted) return { ok: false, why: "the session ended before it answered", mayRetry: false };
  const code = "code" in error && typeof error.code === "string" ? error.code : error.message;
  return { ok: false, why: code.slice(0, 200), mayRetry: true };
}
