/** JSON from machines, where invalid text is an answer and not an error. For files people write: `json.ts`. */
import { isRecord } from "./is-record.ts";

/** Undefined if the text is not JSON. Accepts a byte order mark, as in "$(cat server.json)". */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/u, ""));
  } catch {
    return undefined;
  }
}

/** Undefined if the text is not a JSON object. */
export function tryParseRecord(text: string): Record<string, unknown> | undefined {
  const value = tryParseJson(text);
  return isRecord(value) ? value : undefined;
}
