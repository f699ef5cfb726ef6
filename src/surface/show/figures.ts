/** What a run has used so far, in one line. */
import { tokens } from "../../lib/figures.ts";
import type { ModelUsage } from "../../protocol/usage.ts";

/** `33.1k in (96 % cached) · 1.2k out`, over all models. */
export function usageLine(modelUsage: Readonly<Record<string, ModelUsage>>): string {
  let input = 0;
  let cached = 0;
  let output = 0;
  for (const usage of Object.values(modelUsage)) {
    input += usage.inputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
    cached += usage.cacheReadInputTokens;
    output += usage.outputTokens;
  }
  const share = input === 0 ? 0 : Math.floor((cached / input) * 100);
  return `${tokens(input)} in${share === 0 ? "" : ` (${share} % cached)`} · ${tokens(output)} out`;
}
