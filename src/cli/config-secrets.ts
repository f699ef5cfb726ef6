/** Hides secrets in lists of settings: other people may see the screen. Whoever wants a value asks for its key. */
import { shownAddress } from "../lib/basic-credentials.ts";
import { isRecord } from "../lib/is-record.ts";
import { hasPassword, isForNoReader } from "../lib/secrets.ts";

/** Returns the value without keys, tokens and passwords. `key` is a path such as `env.NAME`. */
export function forNeighbours(key: string, value: unknown): unknown {
  return covered(key.startsWith("env.") ? key.slice("env.".length) : "", value);
}

function covered(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => covered("", each));
  if (isRecord(value)) {
    const entries = Object.entries(value).map(([inner, each]) => [inner, coveredIn(name, inner, each)]);
    return Object.fromEntries(entries);
  }
  if (typeof value === "string" && hasPassword(value)) return shownAddress(value);
  return isText(value) && isForNoReader(name, String(value)) ? "***" : value;
}

/** Every header value is hidden: whether it is a secret cannot be judged by the header's name. */
function coveredIn(outer: string, name: string, value: unknown): unknown {
  return outer === "headers" && isText(value) ? "***" : covered(name, value);
}

function isText(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}
