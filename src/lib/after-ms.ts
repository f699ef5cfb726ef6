/** The longest timer, ms (about 25 days): Node.js fires longer ones at once. */
export const longestTimerMs = 2 ** 31 - 1;

/**
 * Runs `action` once after `ms`, but only after events that are already waiting were handled. A process that was held up (stopped, or on a
 * machine that is too busy) would otherwise see its timeout before the answer that came in time. Returns a function that cancels.
 */
export function afterMs(ms: number, action: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const queueAction = (): void => void (immediate = setImmediate(action));
  const timer = setTimeout(queueAction, Math.min(ms, longestTimerMs));
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
