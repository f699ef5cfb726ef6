/** Headers printed by the user's own command, as a JSON object of strings; refreshed from time to time, since tokens expire. */
import { tryParseRecord } from "../../lib/try-parse-json.ts";
import type { Environment } from "../../lib/environment.ts";
import { runHelperCommand } from "../../settings/key-source.ts";

const commandTimeoutMs = 30_000;

/** Headers are kept for `ageMs`. The returned function rejects with a sentence if the command fails. */
export function createHeaderSource(
  command: string,
  env: Environment,
  ageMs: number,
  elapsed: () => number,
): (signal: AbortSignal) => Promise<Record<string, string>> {
  let known: { atMs: number; headers: Promise<Record<string, string>> } | undefined;
  return (signal) => {
    if (known !== undefined && elapsed() - known.atMs < ageMs) return known.headers;
    const headers = runHelperCommand("otelHeadersHelper", command, env, commandTimeoutMs, signal).then(parseHeaders);
    const fetched = { atMs: elapsed(), headers };
    known = fetched;
    // A failure is reported to the caller and not kept.
    headers.catch(() => {
      if (known === fetched) known = undefined;
    });
    return headers;
  };
}

function parseHeaders(text: string): Record<string, string> {
  const value = tryParseRecord(text);
  if (value !== undefined && Object.values(value).every((each) => typeof each === "string"))
    return value as Record<string, string>;
  throw new Error("otelHeadersHelper did not print a JSON object of strings.");
}
