// A failing run made small: shorter lists of choices with smaller numbers in them, as long as the same law is broken.

export interface ShrinkResult {
  choices: number[];
  runs: number;
}

/** `stillFails` answers for a list of choices; it is asked `maxRuns` times at most. */
export async function shrink(
  choices: readonly number[],
  stillFails: (choices: number[]) => Promise<boolean>,
  maxRuns = 400,
): Promise<ShrinkResult> {
  let best = [...choices];
  let runs = 0;
  const isBetter = async (candidate: number[]): Promise<boolean> => {
    if (runs >= maxRuns) return false;
    runs++;
    if (!(await stillFails(candidate))) return false;
    best = candidate;
    return true;
  };
  for (let size = best.length; size > 0 && runs < maxRuns; size = Math.floor(size / 2)) {
    // From the end: what comes late matters least.
    for (let at = Math.max(0, best.length - size); ; at = Math.max(0, at - size)) {
      const isRemoved = await isBetter([...best.slice(0, at), ...best.slice(at + size)]);
      if (!isRemoved && best.slice(at, at + size).some((choice) => choice !== 0))
        await isBetter(best.map((choice, index) => (index >= at && index < at + size ? 0 : choice)));
      if (at === 0 || runs >= maxRuns) break;
    }
  }
  for (let at = 0; at < best.length && runs < maxRuns; at++) {
    for (const smaller of [0, 1, Math.floor(best[at]! / 2), best[at]! - 1])
      if (smaller >= 0 && smaller < best[at]! && (await isBetter(best.with(at, smaller)))) break;
  }
  return { choices: best, runs };
}
