/** Integers that a double does not hold, as the ids of rows and messages often are: read as JSON they come out as others. */

/**
 * The first in `json`, as it is written there; undefined where there is none, or it is no JSON. One that reads back as it is written is none,
 * and fractions are nobody's names.
 */
export function roundedInteger(json: string): string | undefined {
  if (!/\d{16}/.test(json)) return undefined;
  let found: string | undefined;
  const look = (_key: string, value: unknown, { source = "" }: { source?: string } = {}): unknown => {
    if (typeof value === "number" && Number.isFinite(value) && isRounded(value, source)) found ??= source;
    return value;
  };
  try {
    const read: unknown = JSON.parse(json, look);
    return typeof read === "string" ? roundedInteger(read) : found;
  } catch {
    return undefined;
  }
}

/** What `json` says, with such integers as they are written there once it is made JSON again; undefined where there are none. */
export function withDigits(json: string): unknown {
  if (roundedInteger(json) === undefined) return undefined;
  return JSON.parse(json, (_key, value: unknown, { source = "" }: { source?: string } = {}) =>
    typeof value === "number" && Number.isFinite(value) && isRounded(value, source) ? raw.rawJSON(source) : value,
  );
}

const raw = JSON as typeof JSON & { rawJSON(text: string): unknown };

function isRounded(value: number, source: string): boolean {
  return /^-?\d+$/.test(source) && String(value) !== source && BigInt(value) !== BigInt(source);
}
