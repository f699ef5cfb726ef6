import { percent, tokens } from "../../lib/figures.ts";
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import type { ContextShare, ContextUsage } from "../../protocol/context-usage.ts";
import { refusal, type Command } from "./command.ts";

export const context: Command = {
  name: "context",
  argumentHint: "[--json]",
  description: "where the tokens of the conversation are",
  run(argument, desk) {
    if (argument !== "" && argument !== "--json")
      return refusal(`/context takes nothing but --json, not "${oneLine(argument, 60)}".`);
    const data = desk.parts().contextUsage();
    return { text: argument === "--json" ? JSON.stringify(data, null, 2) : contextText(data), data };
  },
};

const bases: Record<ContextUsage["basis"], string> = {
  counted: "as the API counted the last response",
  counted_and_estimated: "the API's count of the last response, and an estimate of what came after it",
  estimated: "estimated: no response has counted this conversation yet",
};
const mostNamed = 8;

/** Lines without colours or drawing. */
export function contextText(usage: ContextUsage): string {
  const { model, totalTokens, maxTokens, autoCompactThreshold } = usage;
  const of = (count: number): string => `${tokens(count)} (${percent(count, maxTokens)})`;
  const width = Math.max(...usage.categories.map(({ name }) => name.length));
  const detail: Partial<Record<string, readonly ContextShare[]>> = {
    tools: usage.tools,
    tool_results: usage.toolResults,
    memory_files: usage.memoryFiles.map(({ path, tokens: count }) => ({ name: path, tokens: count })),
  };
  const lines = usage.categories.flatMap(({ id, name, tokens: count }) => [
    `  ${name.padEnd(width)}  ${of(count)}`,
    ...shareLines(detail[id] ?? []),
  ]);
  return [
    `${sanitize(model)}: ${tokens(totalTokens)} of ${tokens(maxTokens)} tokens (${percent(totalTokens, maxTokens)}), ${bases[usage.basis]}`,
    ...lines,
    autoCompactThreshold === undefined
      ? "Automatic compaction is off."
      : `Compacted by itself from ${tokens(autoCompactThreshold)} tokens on.`,
    ...savingLines(usage),
  ].join("\n");
}

function shareLines(shares: readonly ContextShare[]): string[] {
  const left = shares.slice(mostNamed).reduce((sum, share) => sum + share.tokens, 0);
  const named = shares
    .slice(0, mostNamed)
    .map(({ name, tokens: count }) => `    ${oneLine(name, 90)}: ${tokens(count)}`);
  return left === 0 ? named : [...named, `    ${shares.length - mostNamed} more: ${tokens(left)}`];
}

function savingLines({ savings }: ContextUsage): string[] {
  const each = savings.map(({ layer, times, tokens: saved }) => {
    const often = times === 1 ? "once" : `${times} times`;
    return `  ${layer.replaceAll("_", " ")}: about ${tokens(saved)} tokens, ${often}`;
  });
  return each.length === 0 ? [] : ["Saved so far:", ...each];
}
