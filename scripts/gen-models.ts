/**
 * Writes `src/model/models.json`, the catalogue of models. Figures are typed in here from the public documentation (models
 * overview, pricing, effort, thinking and prompt caching pages), never fetched. To update, change a row and `date`, and run
 * `node scripts/gen-models.ts`.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Effort, ModelInfo, PriceTier } from "../src/protocol/model.ts";

const date = "2026-11-20";
const source = `public documentation, ${date}`;

interface Row extends Omit<ModelInfo, "known"> {
  released: string | null;
  status: "current" | "legacy" | "restricted";
  /** The model accepts `output_config.task_budget`. */
  taskBudget: boolean;
  /** Thinking can be turned off only up to this effort. */
  thinkingOffUpTo?: Effort;
  /** Fields that are assumed, because no page states them. */
  assumed?: string[];
}

const everyEffort: Effort[] = ["low", "medium", "high", "xhigh", "max"];

/** Applies the published multipliers of the input price: 1.25 and 2 for cache writes, 0.1 for reads unless the page has another. */
function prices(input: number, output: number, readShare = 0.1): PriceTier {
  const cents = (value: number): number => Math.round(value * 1e6) / 1e6;
  return {
    input,
    output,
    cacheWrite5m: cents(input * 1.25),
    cacheWrite1h: cents(input * 2),
    cacheRead: cents(input * readShare),
  };
}

const base = {
  contextWindow: 1_000_000,
  maxOutputTokens: 128_000,
  keepsOldThinking: true,
  thinkingBoundToPrefix: false,
  efforts: everyEffort,
  defaultEffort: "high",
  minCacheTokens: 512,
  maxImages: 600,
  imageEdge: 2576,
  imageTokens: 4784,
  taskBudget: true,
  compaction: true,
  status: "legacy",
  released: null,
} satisfies Partial<Row>;

const bound = { ...base, thinking: "adaptive_always", thinkingBoundToPrefix: true } satisfies Partial<Row>;

/** For models before Opus 4.7. */
const smallerImages = { imageEdge: 1568, imageTokens: 1568 } satisfies Partial<Row>;

const fourFive = {
  ...base,
  contextWindow: 200_000,
  maxOutputTokens: 64_000,
  thinking: "enabled",
  keepsOldThinking: false,
  efforts: [] as Effort[],
  defaultEffort: undefined,
  maxImages: 100,
  ...smallerImages,
  taskBudget: false,
  compaction: false,
} satisfies Partial<Row>;

const fourSix = {
  ...base,
  ...smallerImages,
  thinking: "adaptive",
  efforts: ["low", "medium", "high", "max"] as Effort[],
  taskBudget: false,
} satisfies Partial<Row>;

const cacheMinimumAssumed = "minCacheTokens";
/** Assumed because the model list on the page about on-demand compaction is older than the model. */
const compactionAssumed = "compaction";

const rows: Row[] = [
  {
    ...bound,
    id: "claude-fable-5-2",
    released: "2026-11-09",
    status: "current",
    minCacheTokens: 1024,
    prices: [prices(8, 40, 0.025)],
    assumed: [cacheMinimumAssumed, compactionAssumed],
  },
  {
    ...bound,
    id: "claude-mythos-5-2",
    released: "2026-11-09",
    status: "restricted",
    minCacheTokens: 1024,
    prices: [prices(8, 40, 0.025)],
    assumed: [cacheMinimumAssumed, compactionAssumed],
  },
  {
    ...bound,
    id: "claude-opus-5-5",
    released: "2026-09-22",
    status: "current",
    defaultEffort: "medium",
    minCacheTokens: 1024,
    prices: [prices(4, 20, 0.05)],
    fastPrices: [prices(8, 40, 0.05)],
    assumed: [cacheMinimumAssumed],
  },
  {
    ...bound,
    id: "claude-sonnet-5-5",
    status: "current",
    // The page rejects xhigh and max with `between_tools`. Whether they work alone is not documented, so they are not sent.
    efforts: ["low", "medium", "high"],
    minCacheTokens: 1024,
    prices: [prices(2, 10)],
    assumed: [cacheMinimumAssumed, "prices.cacheWrite5m", "prices.cacheWrite1h", "prices.cacheRead", "efforts"],
  },
  {
    ...bound,
    id: "claude-haiku-5-5",
    released: "2026-10-07",
    status: "current",
    thinking: "adaptive_or_disabled",
    defaultEffort: "medium",
    minCacheTokens: 1024,
    prices: [{ upToInputTokens: 100_000, ...prices(0.1, 0.5) }, prices(0.5, 2.5)],
    assumed: [cacheMinimumAssumed, "prices.cacheWrite1h above 100,000 tokens"],
  },
  { ...bound, id: "claude-fable-5-1", released: "2026-09-01", prices: [prices(10, 50, 0.025)] },
  {
    ...bound,
    id: "claude-mythos-5-1",
    status: "restricted",
    assumed: ["contextWindow", "maxOutputTokens"],
  },
  {
    ...base,
    id: "claude-fable-5",
    released: "2026-06-09",
    thinking: "adaptive_always",
    prices: [prices(10, 50)],
  },
  {
    ...base,
    id: "claude-mythos-5",
    status: "restricted",
    thinking: "adaptive_always",
    assumed: ["contextWindow", "maxOutputTokens"],
  },
  {
    ...base,
    id: "claude-opus-5",
    released: "2026-07-24",
    thinking: "adaptive_or_disabled",
    thinkingOffUpTo: "high",
    prices: [prices(5, 25)],
    fastPrices: [prices(10, 50)],
  },
  {
    ...base,
    id: "claude-opus-4-8",
    thinking: "adaptive_or_disabled",
    minCacheTokens: 1024,
    prices: [prices(5, 25)],
    fastPrices: [prices(10, 50)],
  },
  { ...base, id: "claude-opus-4-7", thinking: "adaptive_or_disabled", minCacheTokens: 2048, prices: [prices(5, 25)] },
  { ...fourSix, id: "claude-opus-4-6", minCacheTokens: 4096, prices: [prices(5, 25)] },
  {
    ...fourFive,
    id: "claude-opus-4-5",
    keepsOldThinking: true,
    efforts: ["low", "medium", "high"],
    defaultEffort: "high",
    minCacheTokens: 4096,
    prices: [prices(5, 25)],
  },
  {
    ...base,
    id: "claude-sonnet-5",
    thinking: "adaptive_or_disabled",
    minCacheTokens: 1024,
    taskBudget: false,
    prices: [prices(2, 10)],
  },
  { ...fourSix, id: "claude-sonnet-4-6", minCacheTokens: 1024, prices: [prices(3, 15)] },
  { ...fourFive, id: "claude-sonnet-4-5", minCacheTokens: 1024, prices: [prices(3, 15)] },
  { ...fourFive, id: "claude-haiku-4-5", minCacheTokens: 4096, prices: [prices(1, 5)] },
];

/** Writes one model per line, so that a change of one figure changes one line. */
function line({ id, released, status, contextWindow, maxOutputTokens, prices, fastPrices, ...rest }: Row): string {
  return JSON.stringify({ id, released, status, contextWindow, maxOutputTokens, prices, fastPrices, ...rest });
}

/** Returns the text of the file. */
export function modelsJson(): string {
  const head = JSON.stringify({ source, date, unit: "USD per million tokens" }).slice(0, -1);
  return `${head},"models":[\n${rows.map(line).join(",\n")}\n]}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL("../src/model/models.json", import.meta.url), modelsJson());
}
