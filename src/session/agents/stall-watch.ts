/** Notices when a background agent has been silent for too long: no sign from its model, its tools or its own agents. */
import type { ModelPort } from "../../protocol/model.ts";
import type { ClockPort } from "../../loop/ports.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import { wholeNumber } from "../options/variables.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { mapModelSteps, withStream, type ModelStep } from "../../model/with-stream.ts";

const defaultStallMs = 600_000;
/** A call has its own limit, by default just as long, and should get to report how it ended. */
const callGraceMs = 60_000;

/** In ms; 0 means no limit. */
export function readStallMs(env: Surroundings["env"]): number {
  return wholeNumber(env["CLAUDE_ASYNC_AGENT_STALL_TIMEOUT_MS"], 0) ?? defaultStallMs;
}

export class StallWatch {
  readonly #clock: Pick<ClockPort, "elapsed" | "timer">;
  readonly #ms: number;
  readonly #onStall: () => void;
  readonly #calls = new Set<string>();
  #openQuestions = 0;
  #lastActivityAt: number;
  #stopTimer: () => void;

  constructor(clock: Pick<ClockPort, "elapsed" | "timer">, ms: number, onStall: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#onStall = onStall;
    this.#lastActivityAt = clock.elapsed();
    this.#stopTimer = ms === 0 ? () => {} : clock.timer(ms, () => this.#check());
  }

  /** Called whenever the agent does something. */
  noteActivity(): void {
    this.#lastActivityAt = this.#clock.elapsed();
  }

  /** Like `noteActivity`, and tracks which of its calls are running. */
  take(message: SDKMessage): void {
    this.noteActivity();
    if ((message.type !== "assistant" && message.type !== "user") || message.parent_tool_use_id !== null) return;
    const { content } = message.message;
    for (const block of typeof content === "string" ? [] : content) {
      if (block.type === "tool_use") this.#calls.add(String(block["id"]));
      if (block.type === "tool_result") this.#calls.delete(String(block["tool_use_id"]));
    }
  }

  /** While a person is being asked, silence does not count. */
  async pauseDuring<T>(question: Promise<T>): Promise<T> {
    this.#openQuestions += 1;
    try {
      return await question;
    } finally {
      this.#openQuestions -= 1;
      this.noteActivity();
    }
  }

  /** Every event of the model is a sign of life: an answer may take long to be complete. */
  watchModel(model: ModelPort): ModelPort {
    const noteStep = (step: ModelStep): ModelStep => {
      this.noteActivity();
      return step;
    };
    return withStream(model, (request, signal) => mapModelSteps(model.stream(request, signal), noteStep));
  }

  stop(): void {
    this.#stopTimer();
  }

  #check(): void {
    const patience = this.#ms + (this.#calls.size > 0 ? callGraceMs : 0);
    const left = this.#openQuestions > 0 ? this.#ms : this.#lastActivityAt + patience - this.#clock.elapsed();
    if (left > 0) this.#stopTimer = this.#clock.timer(Math.ceil(left), () => this.#check());
    else this.#onStall();
  }
}
