import { formatPercent, formatTokens } from "../../lib/format-figures.ts";
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import type { ContextCategory, ContextShare, ContextUsage } from "../../protocol/context-usage.ts";
import { refusal, type Command } from "./command.ts";

export const context: Command = {
  name: "context",
  argumentHint: "[--json]",
  description: "show what fills the context window",
  async run(argument, desk) {
    if (argument !== "" && argument !== "--json")
      return refusal(`/context takes nothing but --json, not "${oneLine(argument, 60)}".`);
    const session = desk.session();
    await session.sideWork.ready();
    const data = session.desk.contextUsage();
    return { text: argument === "--json" ? JSON.stringify(data, null, 2) : contextText(data), data };
  },
};

const basisTexts: Record<ContextUsage["basis"], string> = {
  counted: "as the API counted the last response",
  counted_and_estimated: "the API's count of the last response, and an estimate of what came after it",
  estimated: "estimated: no response has counted this conversation yet",
};
const maxNamedShares = 8;

/** Plain lines, without colours or drawing. */
function contextText(usage: ContextUsage): string {
  const width = Math.max(...usage.categories.map(({ name }) => name.length));
  const lines = usage.categories.flatMap((category) => {
    const { name, tokens: count } = category;
    const line = `  ${name.padEnd(width)}  ${formatTokens(count)} (${formatPercent(count, usage.maxTokens)})`;
    return [line, ...shareLines(sharesOf(usage, category))];
  });
  return [contextHead(usage), ...lines, ...contextFoot(usage)].join("\n");
}

/** The model, how full its window is, and where the count comes from. */
export function contextHead({ model, totalTokens, maxTokens, basis }: ContextUsage): string {
  const share = formatPercent(totalTokens, maxTokens);
  return `${sanitize(model)}: ${formatTokens(totalTokens)} of ${formatTokens(maxTokens)} tokens (${share}), ${basisTexts[basis]}`;
}

/** The parts of each category that have names of their own. */
export function contextDetails(usage: ContextUsage): string[] {
  return usage.categories.flatMap((category) => {
    const shares = shareLines(sharesOf(usage, category));
    return shares.length === 0 ? [] : [`  ${category.name}`, ...shares];
  });
}

export function contextFoot(usage: ContextUsage): string[] {
  const { autoCompactThreshold: threshold } = usage;
  const compaction =
    threshold === undefined
      ? "Automatic compaction is off."
      : `Compacted automatically from ${formatTokens(threshold)} tokens on.`;
  return [compaction, ...savingLines(usage)];
}

function sharesOf(usage: ContextUsage, { id }: ContextCategory): readonly ContextShare[] {
  if (id === "tools") return usage.tools;
  if (id === "tool_results") return usage.toolResults;
  if (id !== "memory_files") return [];
  return usage.memoryFiles.map(({ path, tokens: count }) => ({ name: path, tokens: count }));
}

function shareLines(shares: readonly ContextShare[]): string[] {
  const left = shares.slice(maxNamedShares).reduce((sum, share) => sum + share.tokens, 0);
  const namedShares = shares
    .slice(0, maxNamedShares)
    .map(({ name, tokens: count }) => `    ${oneLine(name, 90)}: ${formatTokens(count)}`);
  return left === 0
    ? namedShares
    : [...namedShares, `    ${shares.length - maxNamedShares} more: ${formatTokens(left)}`];
}

function savingLines({ savings }: ContextUsage): string[] {
  const each = savings.map(({ layer, times, tokens: saved }) => {
    const often = times === 1 ? "once" : `${times} times`;
    return `  ${layer.replaceAll("_", " ")}: about ${formatTokens(saved)} tokens, ${often}`;
  });
  return each.length === 0 ? [] : ["Saved so far:", ...each];
}
