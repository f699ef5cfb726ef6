/** The options a plugin asks its user for (`userConfig`), and their values in settings. */
import { isRecord } from "../lib/is-record.ts";

/** By name; only options that the plugin asks for. */
export type PluginOptions = Readonly<Record<string, string>>;

export interface PluginOptionsResult {
  options: PluginOptions;
  /** Names of required options without a value. */
  missing: string[];
}

const optionName = /^[A-Za-z_][\w-]{0,99}$/u;

/** Reads the options. `optionSchema`: the manifest's `userConfig`. `values`: values from the user's own settings, never from a project's. */
export function readPluginOptions(
  optionSchema: unknown,
  values: Readonly<Record<string, unknown>> = {},
): PluginOptionsResult {
  const options = Object.create(null) as Record<string, string>;
  const missing: string[] = [];
  for (const [key, field] of Object.entries(isRecord(optionSchema) ? optionSchema : {})) {
    if (!optionName.test(key) || !isRecord(field)) continue;
    const text = textOf(Object.hasOwn(values, key) ? values[key] : undefined) ?? textOf(field["default"]);
    if (text === undefined && field["required"] === true) missing.push(key);
    else options[key] = text ?? "";
  }
  return { options, missing };
}

/** Returns a value as text; the values of a list are joined with commas. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  if (!Array.isArray(value)) return undefined;
  const parts = value.map(textOf);
  return parts.includes(undefined) ? undefined : parts.join(",");
}
