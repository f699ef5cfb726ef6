/** What each plain key's value must be, in the words of its complaint. A value that is not is left out; a key nobody knows is no complaint. */
import { isObject, type Json } from "./json.ts";
import type { PlainSettings } from "./settings.ts";

export interface KeyRule {
  /** Ends the sentence "… should be". */
  expected: string;
  accepts(value: Json): boolean;
}

const isText = (value: Json): boolean => typeof value === "string" && value.trim() !== "";
const text = (expected: string): KeyRule => ({ expected, accepts: isText });
const flag: KeyRule = { expected: "true or false", accepts: (value) => typeof value === "boolean" };

function texts(expected: string): KeyRule {
  return { expected, accepts: (value) => Array.isArray(value) && value.every((each) => typeof each === "string") };
}

function oneOf(words: readonly string[]): KeyRule {
  const accepts = (value: Json): boolean => typeof value === "string" && words.includes(value);
  return { expected: `one of ${words.join(", ")}`, accepts };
}

function integer(what: string, from: number, to: number): KeyRule {
  const accepts = (value: Json): boolean => Number.isInteger(value) && Number(value) >= from && Number(value) <= to;
  return { expected: `a whole number of ${what} from ${from} to ${to}`, accepts };
}

export const keyRules: { readonly [Key in keyof Required<PlainSettings>]: KeyRule } = {
  model: text("a model's name"),
  fallbackModel: {
    expected: "a name or a list of names",
    accepts: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
  },
  effortLevel: oneOf(["low", "medium", "high", "xhigh", "max"]),
  apiKeyHelper: text("a command"),
  promptCacheTtl: oneOf(["5m", "1h"]),
  cleanupPeriodDays: integer("days", 1, 36_500),
  autoCompactEnabled: flag,
  autoCompactWindow: integer("tokens", 1_000, 100_000_000),
  microcompactEnabled: flag,
  snipEnabled: flag,
  contextCollapseEnabled: flag,
  contextCollapsePercent: integer("percent", 1, 100),
  bashOutputMaxChars: integer("characters", 4_000, 128_000),
  includeGitInstructions: flag,
  respectGitignore: flag,
  disableAllHooks: flag,
  allowedHttpHookUrls: texts("a list of address patterns"),
  httpHookAllowedEnvVars: texts("a list of names"),
};

const isPrice = (value: Json | undefined): boolean => typeof value === "number" && Number.isFinite(value) && value >= 0;

/** USD per million tokens, by model. */
export function isPriceTable(value: Json): boolean {
  return isObject(value) && Object.values(value).every(isPriceList);
}

function isPriceList(value: Json): boolean {
  if (!isObject(value) || !isPrice(value["input"]) || !isPrice(value["output"])) return false;
  return Object.values(value).every(isPrice);
}

export function showValue(value: Json): string {
  const shown = JSON.stringify(value);
  return shown.length > 60 ? `${shown.slice(0, 57)}...` : shown;
}
