/** The clock of this room, injected. */
export interface Timers {
  /** Ms since the epoch. */
  now(): number;
  /** Runs `action` once after `ms`. The returned function cancels. */
  after(ms: number, action: () => void): () => void;
}

export const systemTimers: Timers = {
  now: () => Date.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};
