/** Reads from an answer's headers when to try again. */

type Headers = Readonly<Record<string, string>>;

/** The wait that the server asks for, ms: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date. */
export function retryDelayMs(headers: Headers, now: number): number | undefined {
  const precise = parseNumber(headers["retry-after-ms"]);
  if (precise !== undefined) return Math.max(precise, 0);
  const headerValue = headers["retry-after"]?.trim();
  if (headerValue === undefined || headerValue === "") return undefined;
  const seconds = parseNumber(headerValue);
  if (seconds !== undefined) return Math.max(seconds * 1000, 0);
  const date = Date.parse(headerValue);
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}

/**
 * When a used-up limit resets, ms since the epoch: the latest `anthropic-ratelimit-…-reset` whose `…-remaining` is zero, or, if
 * none is zero, the latest in the future.
 */
export function resetTime(headers: Headers, now: number): number | undefined {
  let usedUp: number | undefined;
  let latest: number | undefined;
  for (const [name, value] of Object.entries(headers)) {
    const prefix = /^(anthropic-(?:ratelimit|fast)-.*)-reset$/.exec(name)?.[1];
    if (prefix === undefined) continue;
    const time = parseTime(value);
    if (time === undefined || time < now) continue;
    latest = Math.max(latest ?? 0, time);
    if (headers[`${prefix}-remaining`]?.trim() === "0") usedUp = Math.max(usedUp ?? 0, time);
  }
  return usedUp ?? latest;
}

/** RFC 3339, or seconds since the epoch. */
function parseTime(text: string): number | undefined {
  const seconds = parseNumber(text);
  const time = seconds === undefined ? Date.parse(text) : seconds * 1000;
  return Number.isNaN(time) ? undefined : time;
}

function parseNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*-?\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
