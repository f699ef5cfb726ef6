/** Ends a call whose server neither answers nor reports progress. */
import type { Server } from "./server.ts";
import type { McpWorld } from "./world.ts";

const usualMs: Readonly<Record<Server["type"], number>> = {
  stdio: 1_800_000,
  http: 300_000,
  sse: 300_000,
  ws: 300_000,
  sdk: 0,
  transport: 0,
};
const leastMs = 1_000;

/** ms; 0: no limit. The time limit of all calls caps it; a time limit of the server itself may extend it. */
export function idleMsOf({ type, timeoutMs }: Pick<Server, "type" | "timeoutMs">, world: McpWorld): number {
  if (usualMs[type] === 0 || world.idleMs === 0) return 0;
  const wanted = world.idleMs === undefined ? usualMs[type] : Math.max(world.idleMs, leastMs);
  const most = world.callMs ?? Infinity;
  return Math.max(Math.min(wanted, most), timeoutMs ?? 0);
}

export class IdleLimit {
  readonly #world: Pick<McpWorld, "clock" | "isAsking">;
  readonly #ms: number;
  readonly #idle = new AbortController();
  #heardAt: number;
  #stop: () => void = () => {};

  constructor(world: Pick<McpWorld, "clock" | "isAsking">, ms: number) {
    this.#world = world;
    this.#ms = ms;
    this.#heardAt = world.clock.elapsed();
    if (ms > 0) this.#stop = world.clock.timer(ms, () => this.#look());
  }

  /** Aborted when the server has been silent for too long. */
  get signal(): AbortSignal {
    return this.#idle.signal;
  }

  heard(): void {
    this.#heardAt = this.#world.clock.elapsed();
  }

  stop(): void {
    this.#stop();
  }

  #look(): void {
    // While a server's question waits for a person, silence does not count.
    if (this.#world.isAsking?.() === true) this.heard();
    const left = this.#heardAt + this.#ms - this.#world.clock.elapsed();
    if (left > 0) this.#stop = this.#world.clock.timer(Math.ceil(left), () => this.#look());
    else this.#idle.abort(new Error(`it has said nothing for ${this.#ms / 1000} s`));
  }
}
