import { formatCost, formatPercent, formatTokens } from "../../lib/format-figures.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { ModelUsage } from "../../protocol/usage.ts";
import type { Command, CommandAnswer } from "./command.ts";

export const cost: Command = {
  name: "cost",
  aliases: ["usage"],
  argumentHint: "",
  description: "show what this session has cost, by model",
  takesNoArgument: true,
  run: (_argument, desk) => costAnswer(desk.session().joined.ledger),
};

function costAnswer(ledger: { totalUsd: number; modelUsage: Record<string, ModelUsage> }): CommandAnswer {
  const { totalUsd } = ledger;
  const modelUsage = structuredClone(ledger.modelUsage);
  const lines = Object.entries(modelUsage).map(([model, usage]) => `  ${oneLine(model, 60)}: ${modelText(usage)}`);
  return {
    text: [`${formatCost(totalUsd, modelUsage)} so far`, ...lines].join("\n"),
    data: { total_cost_usd: totalUsd, modelUsage },
  };
}

/** Says so if the price is unknown, since the cost is then in no sum. */
function modelText(usage: ModelUsage): string {
  const { inputTokens, cacheReadInputTokens: cached, cacheCreationInputTokens: written, outputTokens } = usage;
  const input = inputTokens + cached + written;
  const price = formatCost(usage.costUSD, { usage });
  return `${formatTokens(input)} in (${formatPercent(cached, input)} read from cache), ${formatTokens(outputTokens)} out, ${price}`;
}
