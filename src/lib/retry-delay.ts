/** How long a server asks to wait before the next try, as it says in an answer's headers. */

/** `retry-after-ms`, or `retry-after` in seconds or as an HTTP date, as ms from `now`, which is in ms since the epoch. */
export function retryDelayMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const precise = parseNumber(headers["retry-after-ms"]);
  if (precise !== undefined) return Math.max(precise, 0);
  const headerValue = headers["retry-after"]?.trim();
  if (headerValue === undefined || headerValue === "") return undefined;
  const seconds = parseNumber(headerValue);
  if (seconds !== undefined) return Math.max(seconds * 1000, 0);
  const date = Date.parse(headerValue);
  return Number.isNaN(date) || Number.isNaN(now) ? undefined : Math.max(date - now, 0);
}

export function parseNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*-?\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
