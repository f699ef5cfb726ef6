/** Whether the session works, waits for a person or rests: told to clients that ask for it, and take the last for the end of a turn. */
import { environmentFlag } from "../../tools/variables.ts";
import type { DrivenEngine } from "../engine-port.ts";

export interface SessionStateOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** A question is put to a person. */
  isAsking: () => boolean;
  write: (message: object) => void;
  newId: () => string;
}

type State = "idle" | "running" | "requires_action";

export class SessionState {
  readonly #options: SessionStateOptions;
  readonly #isWanted: boolean;
  /** Of the turn that runs. */
  #engine: Pick<DrivenEngine, "getSessionId"> | undefined;
  #told: State = "idle";

  constructor(options: SessionStateOptions) {
    this.#options = options;
    this.#isWanted = environmentFlag(options.env, "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", false);
  }

  works(engine: Pick<DrivenEngine, "getSessionId">): void {
    this.#engine = engine;
    this.look();
  }

  /** Nothing waits, and nothing will come of itself. */
  rests(): void {
    this.#tell("idle");
    this.#engine = undefined;
  }

  /** A question may have been put, or answered. */
  look(): void {
    if (this.#engine !== undefined) this.#tell(this.#options.isAsking() ? "requires_action" : "running");
  }

  #tell(state: State): void {
    const { write, newId } = this.#options;
    if (!this.#isWanted || state === this.#told) return;
    this.#told = state;
    const session_id = this.#engine?.getSessionId() ?? "";
    write({ type: "system", subtype: "session_state_changed", state, uuid: newId(), session_id });
  }
}
