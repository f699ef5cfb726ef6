/** One response's usage: the cache's share of its prompt, and the output produced so far. */
import { costOf, type PriceList } from "../billing/prices.ts";
import { tokensOfBytes } from "../billing/tokens.ts";
import type { CacheFigures } from "../billing/cache.ts";
import { isObject, type JsonObject, type WireRequest, type WireUsage } from "../wire/types.ts";

export interface MeterInput {
  body: WireRequest;
  figures: CacheFigures;
  /** Output bytes of the whole response. */
  outputBytes: number;
  bytesPerToken: number;
  override: JsonObject | undefined;
}

/** Knows the usage of a response at every point of its stream. */
export class UsageMeter {
  readonly #input: MeterInput;

  constructor(input: MeterInput) {
    this.#input = input;
  }

  get finalUsage(): WireUsage {
    return this.usageAfter(this.#input.outputBytes);
  }

  usageAfter(outputBytes: number): WireUsage {
    const { figures, bytesPerToken, override, body } = this.#input;
    const usage: WireUsage = {
      input_tokens: figures.promptTokens - figures.readTokens - figures.write5mTokens - figures.write1hTokens,
      cache_creation_input_tokens: figures.write5mTokens + figures.write1hTokens,
      cache_read_input_tokens: figures.readTokens,
      cache_creation: {
        ephemeral_5m_input_tokens: figures.write5mTokens,
        ephemeral_1h_input_tokens: figures.write1hTokens,
      },
      output_tokens: tokensOfBytes(outputBytes, bytesPerToken),
      service_tier: "standard",
      ...(body["speed"] === "fast" ? { speed: "fast" } : {}),
      ...override,
    };
    if (typeof override?.["cache_creation_input_tokens"] === "number" && override["cache_creation"] === undefined) {
      const written = override["cache_creation_input_tokens"];
      usage.cache_creation = { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 };
    }
    const wholeOutput = override?.["output_tokens"];
    if (typeof wholeOutput === "number" && outputBytes < this.#input.outputBytes) {
      usage.output_tokens = Math.ceil((wholeOutput * outputBytes) / this.#input.outputBytes);
    }
    return usage;
  }
}

export function priceOfCall(
  prices: PriceList,
  body: WireRequest,
  usage: WireUsage,
  isFast: boolean,
): number | undefined {
  const price = prices.find(body.model);
  if (price === undefined) return undefined;
  return costOf(price, usage, { fast: isFast, usOnly: body["inference_geo"] === "us" });
}

/** A compatible endpoint reports input and output only. */
export function usageForCompatible(usage: WireUsage): JsonObject {
  return { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens };
}

/** Nothing was generated after the summary, so the top-level figures are zero and everything is in `iterations`. */
export function usageForSummary(usage: WireUsage): JsonObject {
  const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens, cache_creation } = usage;
  const entry = { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens };
  return {
    ...usageForAnthropic(usage),
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    iterations: [{ type: "compaction", ...entry, cache_creation: { ...cache_creation } }],
  };
}

export function usageForAnthropic(usage: WireUsage): JsonObject {
  const plain: JsonObject = {};
  for (const [key, value] of Object.entries(usage)) {
    if (typeof value === "number" || typeof value === "string") plain[key] = value;
    else if (isObject(value) || Array.isArray(value)) plain[key] = value as JsonObject;
  }
  return plain;
}
