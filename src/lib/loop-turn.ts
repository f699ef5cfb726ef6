/** Turns of the event loop, told apart. */
let current = 0;
let isTold = false;

/** The same number until the event loop has turned. */
export function loopTurn(): number {
  if (!isTold) {
    isTold = true;
    current++;
    // Not one that keeps nothing alive: the loop could wait for long before it comes to that.
    setImmediate(() => (isTold = false));
  }
  return current;
}
