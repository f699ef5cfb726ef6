/** What a host says of settings while a session runs: each key in place of what `--settings` says under it, null in place of nothing. */
import { isObject, newObject, type JsonObject } from "../lib/json.ts";
import { parseJsonc } from "./jsonc.ts";

/** The flag's text with these laid over it. One that cannot be read stays as it is, and is told of as it is. */
export function laidOver(text: string, applied: Readonly<JsonObject>): string {
  const parsed = parseJsonc(text);
  return parsed.ok && isObject(parsed.value) ? JSON.stringify(withoutNulls({ ...parsed.value, ...applied })) : text;
}

export function withoutNulls(object: Readonly<JsonObject>): JsonObject {
  const kept = newObject();
  for (const [key, value] of Object.entries(object)) if (value !== null) kept[key] = value;
  return kept;
}
