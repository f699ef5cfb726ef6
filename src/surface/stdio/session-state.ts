/** Whether the session works, waits for a person or rests: told to clients that ask for it, and to all while only agents work. */
import { environmentFlag } from "../../tools/variables.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { DrivenEngine } from "../engine-port.ts";

export interface SessionStateOptions {
  /** A question is put to a person. */
  isAsking: () => boolean;
  write: (message: object) => void;
  newId: () => string;
}

type State = "idle" | "running" | "requires_action";
type Working = Pick<DrivenEngine, "getSessionId" | "openAgents" | "background">;

export class SessionState {
  readonly #options: SessionStateOptions;
  #isWanted = false;
  /** A turn has ended, and the session works on. */
  #isLate = false;
  /** Of the turn that runs. */
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
   * A message that is about to be written; answers it. Behind the result of a single prompt agent SDKs close their input, where agents
   * in the background may yet have to ask: those that know the state wait for `idle`, whether they asked for it or not.
   */
  noted(message: SDKMessage): SDKMessage {
    if (message.type === "result" && this.#engine !== undefined && this.#engine.openAgents > 0) {
      this.#isLate = true;
      // Also where one of them asks just then: `running` is what they look for.
      if (this.#told === "idle") this.#tell("running");
      this.look();
    }
    return message;
  }

  /** Nothing waits, and nothing will come of itself. */
  rests(): void {
    this.#tell("idle");
    this.#engine = undefined;
    this.#isLate = false;
  }

  /** A question may have been put, or answered. */
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
