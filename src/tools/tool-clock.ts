/** The time, as tools take it. */
export interface ToolClock {
  /** ms since the epoch. */
  now: () => number;
  /** ms since some moment of this process: for durations and limits. It does not jump when the clock is set. */
  elapsed: () => number;
  /** Calls back once after `ms`; returns what cancels it. */
  timer: (ms: number, onFire: () => void) => () => void;
}
