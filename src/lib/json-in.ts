/** JSON of a machine, where text that is none is an answer and no fault. For what people write: `json.ts`. */
import { isRecord } from "./is-record.ts";

/** Undefined where the text is no JSON. What a file begins with may be in it: "$(cat server.json)". */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/u, ""));
  } catch {
    return undefined;
  }
}

/** Undefined where the text is no JSON, or not that of an object. */
export function recordIn(text: string): Record<string, unknown> | undefined {
  const value = jsonIn(text);
  return isRecord(value) ? value : undefined;
}
