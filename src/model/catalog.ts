/**
 * What is known of each model: windows, limits, prices, accepted thinking settings. The figures come from `models.json` (written by
 * `scripts/gen-models.ts`, with date and source). A user's file overrides them; a model in neither is marked unknown.
 */
import type { Environment } from "../lib/environment.ts";
import type { Effort, ModelInfo, PriceTier, TokenPrices } from "../protocol/model.ts";
import type { Usage } from "../protocol/usage.ts";
import type { CatalogOverrides, ModelOverride, PriceOverride } from "./catalog-overrides.ts";
import { costOf, type Cost } from "./cost.ts";
import { baseName, resolveModel } from "./model-names.ts";
import file from "./models.json" with { type: "json" };

/** A model as the adapter needs it: the fields of the port, and those that only this directory uses. */
export interface CatalogEntry extends ModelInfo {
  /** Day of release, ISO 8601. Null if no page states it. */
  released: string | null;
  status: "current" | "legacy" | "restricted" | "custom" | "unknown";
  /** Accepts `output_config.task_budget`. */
  taskBudget: boolean;
  /** Thinking can be turned off only up to this effort. */
  thinkingOffUpTo?: Effort;
  /** Names of the fields that no page states: their values are assumptions. */
  assumed?: string[];
}

export interface Catalog {
  /** The id to send for a name, an alias or undefined; see `model-names.ts`. */
  resolveModel(nameOrAlias: string | undefined, environment: Environment): string;
  /** Never fails: an undescribed model has `known: false`, assumed limits and no prices. */
  info(model: string): CatalogEntry;
  /** USD. If the model has no prices, `known` is false and `usd` is 0. */
  costOf(model: string, usage: Usage): Cost;
  /** Ids of the described models. */
  ids(): string[];
}

/** The assumptions for an undescribed model: nothing that a server could refuse. */
const unknownModel: Omit<CatalogEntry, "id"> = {
  known: false,
  contextWindow: 200_000,
  maxOutputTokens: 32_000,
  thinking: "none",
  thinkingBoundToPrefix: false,
  unsignedThinking: true,
  keepsOldThinking: true,
  efforts: [],
  minCacheTokens: 1024,
  maxImages: 100,
  released: null,
  status: "unknown",
  taskBudget: false,
};

/**
 * @param overrides the user's own figures and aliases; they override the built-in ones.
 * @param isPlain drops what needs a beta from every model: the server may refuse the beta's name.
 */
export function createCatalog(overrides: CatalogOverrides = {}, { isPlain = false } = {}): Catalog {
  const allEntries = entriesWith(overrides.models ?? {});
  const entries = isPlain ? new Map([...allEntries].map(([id, entry]) => [id, withoutBetaFields(entry)])) : allEntries;
  const answers = new Map<string, CatalogEntry>();
  const info = (model: string): CatalogEntry => {
    let answer = entries.get(model) ?? answers.get(model);
    if (answer === undefined) {
      answer = { ...(entries.get(baseName(model)) ?? unknownModel), id: model };
      answers.set(model, answer);
    }
    return answer;
  };
  return {
    resolveModel: (name, environment) => resolveModel(name, environment, overrides.aliases),
    info,
    costOf(model, usage) {
      const { prices, fastPrices } = info(model);
      return costOf(usage.serviceTier === "fast" ? (fastPrices ?? prices) : prices, usage);
    },
    ids: () => [...entries.keys()],
  };
}

function withoutBetaFields(entry: CatalogEntry): CatalogEntry {
  const result: CatalogEntry = { ...entry, taskBudget: false, compaction: false };
  delete result.fastPrices;
  return result;
}

/** Built with the first catalogue and shared by all sessions of the process. */
let builtIn: ReadonlyMap<string, CatalogEntry> | undefined;

function entriesWith(models: Readonly<Record<string, ModelOverride>>): ReadonlyMap<string, CatalogEntry> {
  builtIn ??= new Map(
    file.models.map((row) => [row.id, { ...(row as Omit<CatalogEntry, "known">), known: true } as CatalogEntry]),
  );
  const overrides = Object.entries(models);
  if (overrides.length === 0) return builtIn;
  const entries = new Map(builtIn);
  for (const [id, override] of overrides)
    entries.set(id, applyOverride(id, entries.get(id) ?? entries.get(baseName(id)), override));
  return entries;
}

function applyOverride(id: string, entry: CatalogEntry | undefined, override: ModelOverride): CatalogEntry {
  const { prices, ...rest } = override;
  const result: CatalogEntry = { ...(entry ?? { ...unknownModel, status: "custom" }), ...rest, id, known: true };
  if (prices === undefined) return result;
  result.prices = (Array.isArray(prices) ? prices : [prices]).map(priceTier);
  // A provider with its own prices does not sell fast mode at the list price.
  delete result.fastPrices;
  return result;
}

/** Fills in missing cache prices: the published write multipliers, and the full input price for reads. No bill is guessed too low. */
function priceTier(override: PriceOverride): PriceTier {
  const {
    input,
    output,
    cacheWrite5m = input * 1.25,
    cacheWrite1h = input * 2,
    cacheRead = input,
    upToInputTokens,
  } = override;
  const prices: TokenPrices = { input, output, cacheWrite5m, cacheWrite1h, cacheRead };
  return upToInputTokens === undefined ? prices : { ...prices, upToInputTokens };
}
