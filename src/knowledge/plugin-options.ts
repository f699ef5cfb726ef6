/** What a plugin wants to be told by whoever turns it on (`userConfig`), and what settings say of it. */
import { isRecord } from "../lib/is-record.ts";

/** By name; only what the plugin asks for. */
export type PluginOptions = Readonly<Record<string, string>>;

export interface ReadOptions {
  options: PluginOptions;
  /** Names of those it cannot do without, and nobody has said. */
  missing: string[];
}

const name = /^[A-Za-z_][\w-]{0,99}$/u;

/** `wanted`: the manifest's `userConfig`. `given`: of the user's own settings, never of a folder's. */
export function readOptions(wanted: unknown, given: Readonly<Record<string, unknown>> = {}): ReadOptions {
  const options = Object.create(null) as Record<string, string>;
  const missing: string[] = [];
  for (const [key, field] of Object.entries(isRecord(wanted) ? wanted : {})) {
    if (!name.test(key) || !isRecord(field)) continue;
    const said = textOf(Object.hasOwn(given, key) ? given[key] : undefined) ?? textOf(field["default"]);
    if (said === undefined && field["required"] === true) missing.push(key);
    else options[key] = said ?? "";
  }
  return { options, missing };
}

/** Of a list: its values, by commas. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  if (!Array.isArray(value)) return undefined;
  const parts = value.map(textOf);
  return parts.includes(undefined) ? undefined : parts.join(",");
}
