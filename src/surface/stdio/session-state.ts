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
type StateEngine = Pick<DrivenEngine, "getSessionId" | "openAgents" | "background">;

export class SessionState {
  readonly #options: SessionStateOptions;
  #isRequested = false;
  /** A turn has ended, and agents are still running. */
  #agentsOutlastTurn = false;
  /** The engine of the running turn. */
  #engine: StateEngine | undefined;
  #reported: State = "idle";

  constructor(options: SessionStateOptions) {
    this.#options = options;
  }

  onTurnStart(engine: StateEngine): void {
    this.#engine = engine;
    this.#isRequested = environmentFlag(engine.background.env ?? {}, "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", false);
    this.update();
  }

  /**
   * Takes a message that is about to be written, and returns it. After the result of a single prompt agent SDKs close their input,
   * although background agents may still have to ask. SDKs that know the state wait for `idle`, even if they did not ask for it.
   */
  beforeMessage(message: SDKMessage): SDKMessage {
    if (message.type === "result" && this.#engine !== undefined && this.#engine.openAgents > 0) {
      this.#agentsOutlastTurn = true;
      // SDKs look for `running`, so it is sent even if an agent asks at this moment.
      if (this.#reported === "idle") this.#report("running");
      this.update();
    }
    return message;
  }

  /** Nothing waits, and nothing will start by itself. */
  onIdle(): void {
    this.#report("idle");
    this.#engine = undefined;
    this.#agentsOutlastTurn = false;
  }

  /** Call this when a question may have been asked or answered. */
  update(): void {
    if (this.#engine !== undefined) this.#report(this.#options.isAsking() ? "requires_action" : "running");
  }

  #report(state: State): void {
    const { write, newId } = this.#options;
    if (!(this.#isRequested || this.#agentsOutlastTurn) || state === this.#reported) return;
    this.#reported = state;
    const session_id = this.#engine?.getSessionId() ?? "";
    write({ type: "system", subtype: "session_state_changed", state, uuid: newId(), session_id });
  }
}
