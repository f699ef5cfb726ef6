/** Figures for people. */
import type { ModelUsage } from "../../protocol/usage.ts";

export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${(count / 1_000).toFixed(count < 9_950 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

export function turns(count: number): string {
  return `${count} ${count === 1 ? "turn" : "turns"}`;
}

export function dollars(amount: number): string {
  return `$${amount.toFixed(amount !== 0 && amount < 0.1 ? 4 : 2)}`;
}

/** `0.4 s`, `8 s`, `2 min 5 s`. */
export function seconds(milliseconds: number): string {
  if (milliseconds < 950) return `${(Math.max(0, milliseconds) / 1_000).toFixed(1)} s`;
  const whole = Math.round(milliseconds / 1_000);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min${whole % 60 === 0 ? "" : ` ${whole % 60} s`}`;
}

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
