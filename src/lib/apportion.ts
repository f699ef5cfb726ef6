/** Divides a whole number into shares that add up to it exactly, by largest remainder. */

/** `total` is a whole number of at least 0. A weight of 0 gets nothing; if all weights are 0, the first gets everything. */
export function apportion(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((sumSoFar, weight) => sumSoFar + weight, 0);
  if (sum <= 0) return weights.map((_, at) => (at === 0 ? total : 0));
  const exact = weights.map((weight) => (total * weight) / sum);
  const shares = exact.map(Math.floor);
  const rest = total - shares.reduce((sumSoFar, share) => sumSoFar + share, 0);
  const byRemainder = exact
    .map((share, at) => ({ at, remainder: share - Math.floor(share) }))
    .toSorted((one, other) => other.remainder - one.remainder);
  for (const { at } of byRemainder.slice(0, rest)) shares[at] = (shares[at] ?? 0) + 1;
  return shares;
}
