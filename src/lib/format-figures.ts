/** Numbers formatted for people. */

/** `312`, `4.1k`, `1.2M`. */
export function formatTokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${(count / 1_000).toFixed(count < 9_950 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** `1 line`, `2 lines`, `2 entries`. `several` is the word for any other number than 1, by default `one` with an s. */
export function formatCount(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

export function formatTurns(count: number): string {
  return formatCount(count, "turn");
}

export function formatDollars(amount: number): string {
  return `$${amount.toFixed(amount !== 0 && amount < 0.1 ? 4 : 2)}`;
}

/** The combined cost of calls; the cost of some models may be unknown. */
export function formatCost(amount: number, models: Readonly<Record<string, { costBasis?: string }>>): string {
  const isKnown = Object.values(models).every(({ costBasis }) => costBasis !== "unknown");
  if (isKnown) return formatDollars(amount);
  return amount === 0 ? "cost unknown" : `at least ${formatDollars(amount)}`;
}

/** `0.4 s`, `8 s`, `2 min 5 s`, `24 h 1 min`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 950) return `${(Math.max(0, milliseconds) / 1_000).toFixed(1)} s`;
  const whole = Math.round(milliseconds / 1_000);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 120) return `${minutes} min${whole % 60 === 0 ? "" : ` ${whole % 60} s`}`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`;
}

/** A share in percent: `12 %`, `0.4 %`, `< 0.1 %`, `0 %`. */
export function formatPercent(part: number, whole: number): string {
  const share = whole <= 0 ? 0 : (part / whole) * 100;
  if (share > 0 && share < 0.05) return "< 0.1 %";
  return `${share === 0 || share >= 9.95 ? Math.round(share) : share.toFixed(1)} %`;
}

/** How long ago: `just now`, `5 min ago`, `3 h ago`, `2 days ago`. Negative values count as now. */
export function formatAge(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  return `${Math.floor(hours / 24)} days ago`;
}
