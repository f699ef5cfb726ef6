/** The longest timer, ms (about 25 days): Node.js fires longer ones at once. */
export const longestTimer = 2 ** 31 - 1;

/**
 * Runs `action` once after `ms`, but only after events that are already waiting were handled. A process that was held up (stopped, or on a
 * machine that is too busy) would otherwise see its timeout before the answer that came in time. Returns a function that cancels.
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
