/** Converts wire usage to `Usage`. A figure the provider did not send is zero, and a zero never replaces an earlier figure. */
import type { Usage } from "../../protocol/usage.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { CacheTtl } from "./serialize.ts";

type WireFigures = Record<string, unknown>;

/** @param known the figures so far; a new message starts from `noUsage`. */
export function updateUsage(known: Usage, wire: unknown): Usage {
  if (!isRecord(wire)) return known;
  const usage: Usage = { ...known };
  const figures = figuresOf(wire);
  usage.inputTokens = validCount(figures["input_tokens"]) || known.inputTokens;
  usage.outputTokens = validCount(figures["output_tokens"]) || known.outputTokens;
  usage.cacheCreationInputTokens = validCount(figures["cache_creation_input_tokens"]) || known.cacheCreationInputTokens;
  usage.cacheReadInputTokens = validCount(figures["cache_read_input_tokens"]) || known.cacheReadInputTokens;
  const { cache_creation: cache, server_tool_use: servers, output_tokens_details: details } = wire;
  if (isRecord(cache)) {
    setCount(usage, "cacheCreation5mInputTokens", cache["ephemeral_5m_input_tokens"]);
    setCount(usage, "cacheCreation1hInputTokens", cache["ephemeral_1h_input_tokens"]);
  }
  if (isRecord(servers)) {
    setCount(usage, "webSearchRequests", servers["web_search_requests"]);
    setCount(usage, "webFetchRequests", servers["web_fetch_requests"]);
  }
  if (isRecord(details)) setCount(usage, "thinkingTokens", details["thinking_tokens"]);
  usage.cacheCreationInputTokens = Math.max(
    usage.cacheCreationInputTokens,
    (usage.cacheCreation5mInputTokens ?? 0) + (usage.cacheCreation1hInputTokens ?? 0),
  );
  const { service_tier: tier } = wire;
  if (wire["speed"] === "fast") usage.serviceTier = "fast";
  else if (typeof tier === "string" && (reportsSpeed(wire) || known.serviceTier !== "fast")) usage.serviceTier = tier;
  if (wire["inference_geo"] === "us") usage.inferenceGeo = "us";
  return usage;
}

/** What is assumed of a server that does not report it. */
export interface UsageDefaults {
  /** The lifetime of cache writes whose lifetime the server does not report. */
  cacheTtl: CacheTtl;
  /** Fast mode, billed at its price. */
  isFast: boolean;
}

/** @param hasSpeed the server has reported the answer's speed. */
export function withUsageDefaults({ cacheTtl, isFast }: UsageDefaults, usage: Usage, hasSpeed: boolean): Usage {
  const { cacheCreationInputTokens: total, cacheCreation5mInputTokens: short = 0 } = usage;
  const long = usage.cacheCreation1hInputTokens ?? 0;
  const withTtl =
    cacheTtl === "1h" && total > short + long ? { ...usage, cacheCreation1hInputTokens: total - short } : usage;
  return isFast && !hasSpeed ? { ...withTtl, serviceTier: "fast" } : withTtl;
}

/** Whether the usage reports the answer's speed. */
export function reportsSpeed(wire: unknown): boolean {
  return isRecord(wire) && typeof wire["speed"] === "string";
}

/** Whether the usage counts output tokens. */
export function reportsOutput(wire: unknown): boolean {
  return isRecord(wire) && validCount(figuresOf(wire)["output_tokens"]) > 0;
}

function figuresOf(wire: WireFigures): WireFigures {
  const { iterations } = wire;
  return Array.isArray(iterations) ? withIterations(wire, iterations) : wire;
}

type CountField =
  | "cacheCreation5mInputTokens"
  | "cacheCreation1hInputTokens"
  | "webSearchRequests"
  | "webFetchRequests"
  | "thinkingTokens";

function setCount(usage: Usage, field: CountField, value: unknown): void {
  const tokens = validCount(value);
  if (tokens > 0) usage[field] = tokens;
}

const summedFields = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

/** The top-level figures, or the sums over `iterations` if higher: the former leave out the usage of a compaction or an advisor. */
function withIterations(wire: WireFigures, iterations: unknown[]): WireFigures {
  const figures: WireFigures = {};
  for (const name of summedFields) {
    let sum = 0;
    for (const iteration of iterations) if (isRecord(iteration)) sum += validCount(iteration[name]);
    figures[name] = Math.max(validCount(wire[name]), sum);
  }
  return figures;
}

/** A larger count is a server's mistake, and would mislead compaction and cost. */
const maxPlausibleTokens = 1e9;

function validCount(value: unknown): number {
  return typeof value === "number" && value > 0 && value < maxPlausibleTokens ? Math.floor(value) : 0;
}
