/** Agents and hooks that work in the background may report while a person is at the prompt: where nothing is typed there, the session goes on. */
import { Doorbell, rung } from "../../lib/doorbell.ts";
import type { Engine } from "../engine-port.ts";

/** In a line's place. */
export const news = Symbol("news");

export class LateNews {
  readonly #bell = new Doorbell();
  #watch: Promise<void> | null = null;

  /** Calls back once there is something to tell the model. One watch at a time. */
  watch(engine: Pick<Engine, "openAgents" | "openHooks" | "whenAgentsEnd">, wake: () => void): void {
    if (this.#watch !== null || engine.openAgents + engine.openHooks === 0) return;
    this.#watch = this.#wait(engine, wake).finally(() => {
      this.#watch = null;
    });
  }

  async #wait(engine: Pick<Engine, "openAgents" | "whenAgentsEnd">, wake: () => void): Promise<void> {
    const heard = await this.#bell.wait(engine.whenAgentsEnd());
    if (heard !== rung && engine.openAgents > 0) wake();
  }

  async close(): Promise<void> {
    if (this.#watch === null) return;
    this.#bell.ring();
    await this.#watch;
  }
}
