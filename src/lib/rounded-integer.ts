/** Finds integers that a double cannot hold, as the ids of rows and messages often are: JSON.parse would change them. */

/**
 * Returns the first such integer in `json` as written; undefined if there is none, or the text is not JSON. Integers that read back
 * unchanged do not count, nor do fractions, which are never ids.
 */
export function findRoundedInteger(json: string): string | undefined {
  if (!/\d{16}/.test(json)) return undefined;
  let found: string | undefined;
  const look = (_key: string, value: unknown, { source = "" }: { source?: string } = {}): unknown => {
    if (isRounded(value, source)) found ??= source;
    return value;
  };
  try {
    const read: unknown = JSON.parse(json, look);
    return typeof read === "string" ? findRoundedInteger(read) : found;
  } catch {
    return undefined;
  }
}

/** Parses `json` so that such integers are serialised again as they were written; undefined if there are none. */
export function parseKeepingDigits(json: string): unknown {
  if (findRoundedInteger(json) === undefined) return undefined;
  return JSON.parse(json, (_key, value: unknown, { source = "" }: { source?: string } = {}) =>
    isRounded(value, source) ? raw.rawJSON(source) : value,
  );
}

const raw = JSON as typeof JSON & { rawJSON(text: string): unknown };

function isRounded(value: unknown, source: string): boolean {
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  return /^-?\d+$/.test(source) && String(value) !== source && BigInt(value) !== BigInt(source);
}
