/** Hides secrets in lists of settings: other people may see the screen. `config get` with the key shows the value. */
import { addressForDisplay } from "../lib/basic-credentials.ts";
import { isRecord } from "../lib/is-record.ts";
import { hasPassword, shouldHideValue } from "../lib/secrets.ts";

/** Returns the value without keys, tokens and passwords. `key` is a path such as `env.NAME`. */
export function hideSecrets(key: string, value: unknown): unknown {
  return hideInValue(key.startsWith("env.") ? key.slice("env.".length) : "", value);
}

function hideInValue(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => hideInValue("", each));
  if (isRecord(value)) {
    const entries = Object.entries(value).map(([inner, each]) => [inner, hideInEntry(name, inner, each)]);
    return Object.fromEntries(entries);
  }
  if (typeof value === "string" && hasPassword(value)) return addressForDisplay(value);
  return isStringOrNumber(value) && shouldHideValue(name, String(value)) ? "***" : value;
}

/** Every header value is hidden: whether it is a secret cannot be judged by the header's name. */
function hideInEntry(outer: string, name: string, value: unknown): unknown {
  return outer === "headers" && isStringOrNumber(value) ? "***" : hideInValue(name, value);
}

function isStringOrNumber(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}
