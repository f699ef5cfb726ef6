/** The clock that tools use. */
export interface ToolClock {
  /** ms since the epoch. */
  now: () => number;
  /** ms since an arbitrary moment of this process, for durations and limits. Does not jump when the clock is set. */
  elapsed: () => number;
  /** Calls back once after `ms`; returns a function that cancels it. */
  timer: (ms: number, onFire: () => void) => () => void;
}
