/** Ends a call whose server neither answers nor reports progress. */
import type { Server } from "./server.ts";
import type { McpWorld } from "./world.ts";

const defaultIdleMs: Readonly<Record<Server["type"], number>> = {
  stdio: 1_800_000,
  http: 300_000,
  sse: 300_000,
  ws: 300_000,
  sdk: 0,
  transport: 0,
};
const minIdleMs = 1_000;

/** ms; 0: no limit. The time limit of all calls caps it; a time limit of the server itself may extend it. */
export function idleLimitMs({ type, timeoutMs }: Pick<Server, "type" | "timeoutMs">, world: McpWorld): number {
  if (defaultIdleMs[type] === 0 || world.idleMs === 0) return 0;
  const wanted = world.idleMs === undefined ? defaultIdleMs[type] : Math.max(world.idleMs, minIdleMs);
  const most = world.callMs ?? Infinity;
  return Math.max(Math.min(wanted, most), timeoutMs ?? 0);
}

export class IdleLimit {
  readonly #world: Pick<McpWorld, "clock" | "isAsking">;
  readonly #ms: number;
  readonly #idle = new AbortController();
  #lastActivityAt: number;
  #stop: () => void = () => {};

  constructor(world: Pick<McpWorld, "clock" | "isAsking">, ms: number) {
    this.#world = world;
    this.#ms = ms;
    this.#lastActivityAt = world.clock.elapsed();
  }

  /** Aborted when the server has been silent for too long. */
  get signal(): AbortSignal {
    return this.#idle.signal;
  }

  noteActivity(): void {
    this.#lastActivityAt = this.#world.clock.elapsed();
  }

  /** Counts the silence while a request waits for its answer, and not before or after. */
  async during<T>(request: Promise<T>): Promise<T> {
    this.noteActivity();
    if (this.#ms > 0) this.#stop = this.#world.clock.timer(this.#ms, () => this.#checkSilence());
    try {
      return await request;
    } finally {
      this.#stop();
    }
  }

  #checkSilence(): void {
    // While a server's question waits for a person, silence does not count.
    if (this.#world.isAsking?.() === true) this.noteActivity();
    const left = this.#lastActivityAt + this.#ms - this.#world.clock.elapsed();
    if (left > 0) this.#stop = this.#world.clock.timer(Math.ceil(left), () => this.#checkSilence());
    else this.#idle.abort(new Error(`it has said nothing for ${this.#ms / 1000} s`));
  }
}
