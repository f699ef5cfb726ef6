/** Translates values of the convention into this program's own. */
import { isObject, newObject, type Json, type JsonObject } from "../lib/json.ts";
import type { ProjectInstructions } from "./settings.ts";

const catalogPriceNames: Record<string, string> = {
  input: "input",
  output: "output",
  cacheRead: "cacheRead",
  cacheWrite: "cacheWrite5m",
  cacheWrite5m: "cacheWrite5m",
  cacheWrite1h: "cacheWrite1h",
};

export function toCatalogPrices(prices: JsonObject, multiplier: number): JsonObject {
  const known = Object.entries(catalogPriceNames).filter(([name]) => prices[name] !== undefined);
  return Object.assign(
    newObject(),
    ...known.map(([name, ownName]) => ({ [ownName]: Number(prices[name]) * multiplier })),
  ) as JsonObject;
}

const instructionWords = new Map<string, ProjectInstructions>([
  ["claude-md", "claude-md"],
  ["claude", "claude-md"],
  ["claude-md-or-agents-md", "claude-md-or-agents-md"],
  ["agents-fallback", "claude-md-or-agents-md"],
  ["claude-md-and-agents-md", "claude-md-and-agents-md"],
  ["both", "claude-md-and-agents-md"],
  ["managed-only", "managed-only"],
  ["none", "managed-only"],
]);

/** By convention this is stored as an option of a built-in plugin, under names that have changed over time. */
export function readProjectInstructions(plugins: Json | undefined): ProjectInstructions | undefined {
  const config = isObject(plugins) ? plugins["agents-md@builtin"] : undefined;
  const options = isObject(config) ? config["options"] : undefined;
  const words = isObject(options) ? Object.values(options).filter((option) => typeof option === "string") : [];
  return words.map((word) => instructionWords.get(word)).findLast((value) => value !== undefined);
}
