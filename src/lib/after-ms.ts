/** ms, about 25 days. Node has a timer that is to take longer be over at once. */
export const longestTimer = 2 ** 31 - 1;

/**
 * Runs `action` once after `ms`, and after what lay ready by then was looked at. A process that was held up (stopped, or on
 * a machine that is too busy) finds that its time is over before it reads the answer that came in time. The returned
 * function cancels.
 */
export function afterMs(ms: number, action: () => void): () => void {
  let looking: NodeJS.Immediate | undefined;
  const look = (): void => void (looking = setImmediate(action));
  const timer = setTimeout(look, Math.min(ms, longestTimer));
  return () => {
    clearTimeout(timer);
    clearImmediate(looking);
  };
}
