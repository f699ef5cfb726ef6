/** Agents and hooks that work in the background may report while a person is at the prompt: where nothing is typed there, the session goes on. */
import { Doorbell, rung } from "../../lib/doorbell.ts";
import type { Engine } from "../engine-port.ts";

/** In a line's place. */
export const news = Symbol("news");

export class LateNews {
  readonly #bell = new Doorbell();
  readonly #wake: () => void;
  #watch: Promise<void> | null = null;

  /** `wake` is called once there is something to tell the model. */
  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** One watch at a time. What nobody was told of is there for the next one. */
  watch(engine: Pick<Engine, "openAgents" | "openHooks" | "whenAgentsEnd">): void {
    if (this.#watch !== null || engine.openAgents + engine.openHooks === 0) return;
    this.#watch = this.#wait(engine).finally(() => {
      this.#watch = null;
    });
  }

  async #wait(engine: Pick<Engine, "openAgents" | "whenAgentsEnd">): Promise<void> {
    const heard = await this.#bell.wait(engine.whenAgentsEnd());
    if (heard !== rung && engine.openAgents > 0) this.#wake();
  }

  async close(): Promise<void> {
    if (this.#watch === null) return;
    this.#bell.ring();
    await this.#watch;
  }
}
