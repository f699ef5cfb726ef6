import type { WireUsage } from "./sdk.ts";
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
  if (webSearchRequests !== undefined) wire.server_tool_use = { web_search_requests: webSearchRequests };
  if (serviceTier !== undefined) wire.service_tier = serviceTier;
  if (usage.inferenceGeo !== undefined) wire.inference_geo = usage.inferenceGeo;
  return wire;
}
