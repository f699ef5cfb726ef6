/** Settings that a host gives while a session runs. Each key replaces that of `--settings`; null replaces it with nothing. */
import { isObject, type JsonObject } from "../lib/json.ts";
import { withoutNulls } from "../lib/without-nulls.ts";
import { parseJsonc } from "./jsonc.ts";

/** The flag's text with these keys laid over it. A text that cannot be read is returned unchanged, and is reported as before. */
export function overlaySettings(text: string, applied: Readonly<JsonObject>): string {
  const parsed = parseJsonc(text);
  return parsed.ok && isObject(parsed.value) ? JSON.stringify(withoutNulls({ ...parsed.value, ...applied })) : text;
}
