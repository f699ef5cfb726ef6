/** When to try again to restore a lost connection: a few times, after ever longer waits. */
import type { McpWorld } from "./world.ts";

/** Maximum number of attempts to restore a lost connection, and the first wait between them, ms. */
const maxAttempts = 5;
const firstDelayMs = 1_000;
/** A connection that held for this long resets the count of attempts, ms. */
const steadyMs = 60_000;

export class ReconnectSchedule {
  readonly #world: McpWorld;
  #attempts = 0;
  #connectedAt = 0;
  #stopTimer: (() => void) | undefined;

  constructor(world: McpWorld) {
    this.#world = world;
  }

  /** No attempt is left. */
  get isUsedUp(): boolean {
    return this.#attempts >= maxAttempts;
  }

  /** Calls `connect` after a wait of at least `leastMs`, in place of an attempt scheduled earlier. */
  start(connect: () => void, leastMs = 0): void {
    const random = this.#world.random();
    const delay = Math.max(firstDelayMs * 2 ** this.#attempts * (0.75 + random / 2), leastMs * (1 + random / 4));
    this.cancel();
    this.#stopTimer = this.#world.clock.timer(delay, () => {
      this.#attempts += 1;
      connect();
    });
  }

  /** The attempts made so far still count. */
  cancel(): void {
    this.#stopTimer?.();
  }

  resetCount(): void {
    this.#attempts = 0;
  }

  noteConnected(): void {
    this.#connectedAt = this.#world.clock.elapsed();
  }

  noteLost(): void {
    if (this.#world.clock.elapsed() - this.#connectedAt >= steadyMs) this.resetCount();
  }
}
