/** Wire usage to ours. What the provider did not tell is zero, and a zero never replaces a figure that was told. */
import { noUsage, type Usage } from "../../protocol/usage.ts";
import { isRecord } from "../../lib/is-record.ts";

type Figures = Record<string, unknown>;

/** @param known what was told before; a new message starts from `noUsage`. */
export function updateUsage(known: Usage, wire: unknown): Usage {
  if (!isRecord(wire)) return known;
  const usage: Usage = { ...known };
  const cache = isRecord(wire["cache_creation"]) ? wire["cache_creation"] : {};
  const servers = isRecord(wire["server_tool_use"]) ? wire["server_tool_use"] : {};
  const details = isRecord(wire["output_tokens_details"]) ? wire["output_tokens_details"] : {};
  usage.inputTokens = told(wire, "input_tokens") || known.inputTokens;
  usage.outputTokens = told(wire, "output_tokens") || known.outputTokens;
  usage.cacheCreationInputTokens = told(wire, "cache_creation_input_tokens") || known.cacheCreationInputTokens;
  usage.cacheReadInputTokens = told(wire, "cache_read_input_tokens") || known.cacheReadInputTokens;
  const optional: [keyof Usage & `${string}${"Tokens" | "Requests"}`, number][] = [
    ["cacheCreation5mInputTokens", count(cache["ephemeral_5m_input_tokens"])],
    ["cacheCreation1hInputTokens", count(cache["ephemeral_1h_input_tokens"])],
    ["webSearchRequests", count(servers["web_search_requests"])],
    ["thinkingTokens", count(details["thinking_tokens"])],
  ];
  for (const [field, value] of optional) if (value > 0) usage[field] = value;
  usage.cacheCreationInputTokens = Math.max(
    usage.cacheCreationInputTokens,
    (usage.cacheCreation5mInputTokens ?? 0) + (usage.cacheCreation1hInputTokens ?? 0),
  );
  const tier = wire["speed"] === "fast" ? "fast" : wire["service_tier"];
  if (typeof tier === "string") usage.serviceTier = tier;
  return usage;
}

/** Usage of a whole new message. */
export function firstUsage(wire: unknown): Usage {
  return updateUsage(noUsage, wire);
}

/** The top-level figure, or the sum over `iterations` where that is more: the former leaves out what a compaction or an advisor used. */
function told(wire: Figures, name: string): number {
  const iterations = wire["iterations"];
  let sum = 0;
  if (Array.isArray(iterations))
    for (const iteration of iterations) if (isRecord(iteration)) sum += count(iteration[name]);
  return Math.max(count(wire[name]), sum);
}

/** What no count of tokens can be is a mistake of the server's, and would drive compaction and cost astray. */
const mostTokens = 1e9;

function count(value: unknown): number {
  return typeof value === "number" && value > 0 && value < mostTokens ? Math.floor(value) : 0;
}
