/**
 * The user's own model figures, as JSON:
 *
 *     { "models":  { "my-model": { "contextWindow": 131072, "maxOutputTokens": 16384,
 *                                  "prices": { "input": 0.3, "output": 1.2 } } },
 *       "aliases": { "fast": "my-model" } }
 *
 * `prices` is USD per million tokens: one object, or a list in ascending order of `upToInputTokens` whose last entry has no bound.
 */
import { efforts, type Effort } from "../protocol/effort.ts";
import type { ModelInfo } from "../protocol/model.ts";
import { isRecord } from "../lib/is-record.ts";

export interface PriceOverride {
  input: number;
  output: number;
  cacheWrite5m?: number;
  cacheWrite1h?: number;
  cacheRead?: number;
  upToInputTokens?: number;
}

type Overridable = Omit<ModelInfo, "id" | "known" | "prices" | "fastPrices"> & { taskBudget: boolean };

/** Omitted fields keep the built-in figure, or the assumption for an unknown model. */
export type ModelOverride = Partial<Overridable> & { prices?: PriceOverride | PriceOverride[] };

export interface CatalogOverrides {
  models?: Record<string, ModelOverride>;
  aliases?: Record<string, string>;
}

const thinkingForms: readonly ModelInfo["thinking"][] = [
  "none",
  "enabled",
  "adaptive",
  "adaptive_always",
  "adaptive_or_disabled",
];

type Check = (value: unknown) => boolean;

const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const isPrice: Check = (value) => typeof value === "number" && Number.isFinite(value) && value >= 0;
const isFlag: Check = (value) => typeof value === "boolean";
const isEffort: Check = (value) => efforts.includes(value as Effort);

const fieldChecks: Record<keyof Overridable, Check> = {
  contextWindow: isCount,
  maxOutputTokens: isCount,
  thinking: (value) => thinkingForms.includes(value as ModelInfo["thinking"]),
  thinkingBoundToPrefix: isFlag,
  keepsOldThinking: isFlag,
  unsignedThinking: isFlag,
  efforts: (value) => Array.isArray(value) && value.every(isEffort),
  defaultEffort: isEffort,
  minCacheTokens: isCount,
  maxImages: isCount,
  imageEdge: isCount,
  imageTokens: isCount,
  compaction: isFlag,
  taskBudget: isFlag,
};

const priceChecks: Record<keyof PriceOverride, Check> = {
  input: isPrice,
  output: isPrice,
  cacheWrite5m: isPrice,
  cacheWrite1h: isPrice,
  cacheRead: isPrice,
  upToInputTokens: isCount,
};

/** Reads a parsed JSON value. Unusable parts are left out, and each is named in `problems` by one line for people. */
export function readCatalogOverrides(value: unknown): { overrides: CatalogOverrides; problems: string[] } {
  const problems: string[] = [];
  if (!isRecord(value)) return { overrides: {}, problems: ["the model file is not a JSON object"] };
  const models: [string, ModelOverride][] = [];
  for (const [id, entry] of entriesOf(value["models"], "models", problems)) {
    if (isRecord(entry)) models.push([id, readModel(id, entry, problems)]);
    else problems.push(`models.${id} is not an object`);
  }
  const aliases: [string, string][] = [];
  for (const [name, target] of entriesOf(value["aliases"], "aliases", problems)) {
    if (typeof target === "string" && target !== "") aliases.push([name, target]);
    else problems.push(`aliases.${name} is not the name of a model`);
  }
  return { overrides: { models: Object.fromEntries(models), aliases: Object.fromEntries(aliases) }, problems };
}

function readModel(id: string, fields: Record<string, unknown>, problems: string[]): ModelOverride {
  const kept: [string, unknown][] = [];
  for (const [field, value] of Object.entries(fields)) {
    if (field === "prices") continue;
    if (!Object.hasOwn(fieldChecks, field)) problems.push(`models.${id}.${field} is not a field of a model`);
    else if (fieldChecks[field as keyof Overridable](value)) kept.push([field, value]);
    else problems.push(`models.${id}.${field} has a value that cannot be used: ${JSON.stringify(value)}`);
  }
  const model = Object.fromEntries(kept) as ModelOverride;
  if (fields["prices"] !== undefined) {
    const tiers = Array.isArray(fields["prices"]) ? fields["prices"] : [fields["prices"]];
    const problem = tiersProblem(tiers);
    // A price list is taken whole or not at all: half a list would produce a wrong bill.
    if (problem === undefined) model.prices = tiers as PriceOverride[];
    else problems.push(`models.${id}.prices ${problem}; your prices for this model are ignored`);
  }
  return model;
}

function tiersProblem(tiers: unknown[]): string | undefined {
  let bound = 0;
  for (const [index, tier] of tiers.entries()) {
    if (!isRecord(tier)) return "is not an object or a list of objects";
    if (tier["input"] === undefined || tier["output"] === undefined) return "needs input and output";
    for (const [field, value] of Object.entries(tier)) {
      if (!Object.hasOwn(priceChecks, field)) return `has an unknown field ${field}`;
      if (!priceChecks[field as keyof PriceOverride](value)) return `has a value that cannot be used for ${field}`;
    }
    const last = index === tiers.length - 1;
    const upTo = tier["upToInputTokens"] as number | undefined;
    if (last !== (upTo === undefined)) return "needs upToInputTokens on every tier but the last";
    if (upTo !== undefined && upTo <= bound) return "is not ascending by upToInputTokens";
    bound = upTo ?? bound;
  }
  return tiers.length === 0 ? "is empty" : undefined;
}

function entriesOf(value: unknown, name: string, problems: string[]): [string, unknown][] {
  if (value === undefined) return [];
  if (isRecord(value)) return Object.entries(value);
  problems.push(`${name} is not an object`);
  return [];
}
