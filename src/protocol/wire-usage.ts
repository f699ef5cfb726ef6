/** Converts token usage to the field names of the API. */
import type { ResultUsage, WireUsage } from "./sdk.ts";
import type { Usage } from "./usage.ts";

export function toWireUsage(usage: Usage): WireUsage {
  const wire: WireUsage = {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_creation_input_tokens: usage.cacheCreationInputTokens,
    cache_read_input_tokens: usage.cacheReadInputTokens,
  };
  const { cacheCreation5mInputTokens, cacheCreation1hInputTokens, webSearchRequests, serviceTier } = usage;
  if (cacheCreation5mInputTokens !== undefined || cacheCreation1hInputTokens !== undefined) {
    wire.cache_creation = {
      ephemeral_5m_input_tokens: cacheCreation5mInputTokens ?? 0,
      ephemeral_1h_input_tokens: cacheCreation1hInputTokens ?? 0,
    };
  }
  if (webSearchRequests !== undefined || usage.webFetchRequests !== undefined)
    wire.server_tool_use = serverToolUse(usage);
  if (serviceTier !== undefined) wire.service_tier = serviceTier;
  if (usage.inferenceGeo !== undefined) wire.inference_geo = usage.inferenceGeo;
  return wire;
}

/** Converts the usage of a whole turn. No field is left out, because clients read nested fields without checking. */
export function toResultUsage(usage: Usage): ResultUsage {
  const { serviceTier = "standard", thinkingTokens = 0 } = usage;
  const isFast = serviceTier === "fast";
  return {
    ...toWireUsage(usage),
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheCreation5mInputTokens ?? 0,
      ephemeral_1h_input_tokens: usage.cacheCreation1hInputTokens ?? 0,
    },
    server_tool_use: serverToolUse(usage),
    output_tokens_details: { thinking_tokens: thinkingTokens },
    iterations: [],
    service_tier: isFast ? "standard" : serviceTier,
    speed: isFast ? "fast" : "standard",
    inference_geo: usage.inferenceGeo ?? "",
  };
}

function serverToolUse({ webSearchRequests = 0, webFetchRequests = 0 }: Usage): ResultUsage["server_tool_use"] {
  return { web_search_requests: webSearchRequests, web_fetch_requests: webFetchRequests };
}
