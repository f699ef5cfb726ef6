/** Holds this process up, as Ctrl+Z or a paused container does: nothing of its event loop runs for so many ms. */
export function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
