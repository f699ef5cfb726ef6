/** Reads from an answer's headers when a used-up limit resets. */
import { parseNumber } from "../lib/retry-delay.ts";

type Headers = Readonly<Record<string, string>>;

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
