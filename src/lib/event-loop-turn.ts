/** Numbers for the turns of the event loop. */
let current = 0;
let isCounted = false;

/** Returns the same number until the event loop has turned. */
export function eventLoopTurn(): number {
  if (!isCounted) {
    isCounted = true;
    current++;
    // Not unref'd: the loop could then wait for a long time before it runs this.
    setImmediate(() => (isCounted = false));
  }
  return current;
}
