/**
 * Runs `action` once after `ms`, and after what lay ready by then was looked at. A process that was held up (stopped, or on
 * a machine that is too busy) finds that its time is over before it reads the answer that came in time. The returned
 * function cancels.
 */
export function afterMs(ms: number, action: () => void): () => void {
  let looking: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    looking = setImmediate(action);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(looking);
  };
}
