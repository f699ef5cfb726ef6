/** Converts wire usage to `Usage`. A figure the provider did not send is zero, and a zero never replaces an earlier figure. */
import type { Usage } from "../../protocol/usage.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { CacheTtl } from "./serialize.ts";

type Figures = Record<string, unknown>;

/** @param known the figures so far; a new message starts from `noUsage`. */
export function updateUsage(known: Usage, wire: unknown): Usage {
  if (!isRecord(wire)) return known;
  const usage: Usage = { ...known };
  const figures = figuresOf(wire);
  usage.inputTokens = count(figures["input_tokens"]) || known.inputTokens;
  usage.outputTokens = count(figures["output_tokens"]) || known.outputTokens;
  usage.cacheCreationInputTokens = count(figures["cache_creation_input_tokens"]) || known.cacheCreationInputTokens;
  usage.cacheReadInputTokens = count(figures["cache_read_input_tokens"]) || known.cacheReadInputTokens;
  const { cache_creation: cache, server_tool_use: servers, output_tokens_details: details } = wire;
  if (isRecord(cache)) {
    tell(usage, "cacheCreation5mInputTokens", cache["ephemeral_5m_input_tokens"]);
    tell(usage, "cacheCreation1hInputTokens", cache["ephemeral_1h_input_tokens"]);
  }
  if (isRecord(servers)) {
    tell(usage, "webSearchRequests", servers["web_search_requests"]);
    tell(usage, "webFetchRequests", servers["web_fetch_requests"]);
  }
  if (isRecord(details)) tell(usage, "thinkingTokens", details["thinking_tokens"]);
  usage.cacheCreationInputTokens = Math.max(
    usage.cacheCreationInputTokens,
    (usage.cacheCreation5mInputTokens ?? 0) + (usage.cacheCreation1hInputTokens ?? 0),
  );
  const { service_tier: tier } = wire;
  if (wire["speed"] === "fast") usage.serviceTier = "fast";
  else if (typeof tier === "string" && (tellsSpeed(wire) || known.serviceTier !== "fast")) usage.serviceTier = tier;
  if (wire["inference_geo"] === "us") usage.inferenceGeo = "us";
  return usage;
}

/** What is assumed of a server that does not report it. */
export interface Asked {
  /** The lifetime of cache writes whose lifetime the server does not report. */
  cacheTtl: CacheTtl;
  /** Fast mode, billed at its price. */
  isFast: boolean;
}

/** @param hasSpeed the server has reported the answer's speed. */
export function asAsked({ cacheTtl, isFast }: Asked, usage: Usage, hasSpeed: boolean): Usage {
  const { cacheCreationInputTokens: all, cacheCreation5mInputTokens: short = 0 } = usage;
  const long = usage.cacheCreation1hInputTokens ?? 0;
  const told = cacheTtl === "1h" && all > short + long ? { ...usage, cacheCreation1hInputTokens: all - short } : usage;
  return isFast && !hasSpeed ? { ...told, serviceTier: "fast" } : told;
}

/** Whether the usage reports the answer's speed. */
export function tellsSpeed(wire: unknown): boolean {
  return isRecord(wire) && typeof wire["speed"] === "string";
}

/** Whether the usage counts output tokens. */
export function tellsOutput(wire: unknown): boolean {
  return isRecord(wire) && count(figuresOf(wire)["output_tokens"]) > 0;
}

function figuresOf(wire: Figures): Figures {
  const { iterations } = wire;
  return Array.isArray(iterations) ? withIterations(wire, iterations) : wire;
}

type Told =
  | "cacheCreation5mInputTokens"
  | "cacheCreation1hInputTokens"
  | "webSearchRequests"
  | "webFetchRequests"
  | "thinkingTokens";

function tell(usage: Usage, field: Told, value: unknown): void {
  const told = count(value);
  if (told > 0) usage[field] = told;
}

const summed = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

/** The top-level figures, or the sums over `iterations` if higher: the former leave out the usage of a compaction or an advisor. */
function withIterations(wire: Figures, iterations: unknown[]): Figures {
  const figures: Figures = {};
  for (const name of summed) {
    let sum = 0;
    for (const iteration of iterations) if (isRecord(iteration)) sum += count(iteration[name]);
    figures[name] = Math.max(count(wire[name]), sum);
  }
  return figures;
}

/** A larger count is a server's mistake, and would mislead compaction and cost. */
const mostTokens = 1e9;

function count(value: unknown): number {
  return typeof value === "number" && value > 0 && value < mostTokens ? Math.floor(value) : 0;
}
