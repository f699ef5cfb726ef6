/** Numbers for the turns of the event loop. */
let current = 0;
let isTold = false;

/** Returns the same number until the event loop has turned. */
export function loopTurn(): number {
  if (!isTold) {
    isTold = true;
    current++;
    // Not unref'd: the loop could then wait for a long time before it runs this.
    setImmediate(() => (isTold = false));
  }
  return current;
}
