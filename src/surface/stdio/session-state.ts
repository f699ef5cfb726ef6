/** Reports whether the session is running, needs a person or is idle: to clients that ask for it, and to all while only agents run. */
import { environmentFlag } from "../../tools/variables.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { DrivenEngine } from "../engine-port.ts";

export interface SessionStateOptions {
  /** Returns whether a question to a person is open. */
  isAsking: () => boolean;
  write: (message: object) => void;
  newId: () => string;
}

type State = "idle" | "running" | "requires_action";
type Working = Pick<DrivenEngine, "getSessionId" | "openAgents" | "background">;

export class SessionState {
  readonly #options: SessionStateOptions;
  #isWanted = false;
  /** A turn has ended, and agents are still running. */
  #isLate = false;
  /** The engine of the running turn. */
  #engine: Working | undefined;
  #told: State = "idle";

  constructor(options: SessionStateOptions) {
    this.#options = options;
  }

  works(engine: Working): void {
    this.#engine = engine;
    this.#isWanted = environmentFlag(engine.background.env ?? {}, "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", false);
    this.look();
  }

  /**
   * Takes a message that is about to be written, and returns it. After the result of a single prompt agent SDKs close their input,
   * although background agents may still have to ask. SDKs that know the state wait for `idle`, even if they did not ask for it.
   */
  noted(message: SDKMessage): SDKMessage {
    if (message.type === "result" && this.#engine !== undefined && this.#engine.openAgents > 0) {
      this.#isLate = true;
      // SDKs look for `running`, so it is sent even if an agent asks at this moment.
      if (this.#told === "idle") this.#tell("running");
      this.look();
    }
    return message;
  }

  /** Nothing waits, and nothing will start by itself. */
  rests(): void {
    this.#tell("idle");
    this.#engine = undefined;
    this.#isLate = false;
  }

  /** Call this when a question may have been asked or answered. */
  look(): void {
    if (this.#engine !== undefined) this.#tell(this.#options.isAsking() ? "requires_action" : "running");
  }

  #tell(state: State): void {
    const { write, newId } = this.#options;
    if (!(this.#isWanted || this.#isLate) || state === this.#told) return;
    this.#told = state;
    const session_id = this.#engine?.getSessionId() ?? "";
    write({ type: "system", subtype: "session_state_changed", state, uuid: newId(), session_id });
  }
}
