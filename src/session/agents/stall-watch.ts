/** Notices when a background agent has been silent for too long: no sign from its model, its tools or its own agents. */
import type { ModelPort } from "../../protocol/model.ts";
import type { ClockPort } from "../../loop/ports.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import { wholeNumber } from "../options/variables.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { withStream } from "../model/with-stream.ts";

const usualMs = 600_000;
/** A call has its own limit, by default just as long, and should get to report how it ended. */
const callGraceMs = 60_000;

/** In ms; 0 means no limit. */
export function stallMsOf(env: Surroundings["env"]): number {
  return wholeNumber(env["CLAUDE_ASYNC_AGENT_STALL_TIMEOUT_MS"], 0) ?? usualMs;
}

export class StallWatch {
  readonly #clock: Pick<ClockPort, "elapsed" | "timer">;
  readonly #ms: number;
  readonly #onStall: () => void;
  readonly #calls = new Set<string>();
  #questions = 0;
  #heardAt: number;
  #stopTimer: () => void;

  constructor(clock: Pick<ClockPort, "elapsed" | "timer">, ms: number, onStall: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#onStall = onStall;
    this.#heardAt = clock.elapsed();
    this.#stopTimer = ms === 0 ? () => {} : clock.timer(ms, () => this.#look());
  }

  /** Called whenever the agent does something. */
  heard(): void {
    this.#heardAt = this.#clock.elapsed();
  }

  /** Like `heard`, and tracks which of its calls are running. */
  take(message: SDKMessage): void {
    this.heard();
    if ((message.type !== "assistant" && message.type !== "user") || message.parent_tool_use_id !== null) return;
    const { content } = message.message;
    for (const block of typeof content === "string" ? [] : content) {
      if (block.type === "tool_use") this.#calls.add(String(block["id"]));
      if (block.type === "tool_result") this.#calls.delete(String(block["tool_use_id"]));
    }
  }

  /** While a person is being asked, silence does not count. */
  async asked<T>(question: Promise<T>): Promise<T> {
    this.#questions += 1;
    try {
      return await question;
    } finally {
      this.#questions -= 1;
      this.heard();
    }
  }

  /** Every event of the model is a sign of life: an answer may take long to be complete. */
  watched(model: ModelPort): ModelPort {
    return withStream(model, (request, signal) => {
      const events = model.stream(request, signal);
      const next = events.next.bind(events);
      events.next = async () => {
        const step = await next();
        this.heard();
        return step;
      };
      const ready = events.ready?.bind(events);
      if (ready !== undefined)
        events.ready = () => {
          const step = ready();
          if (step !== undefined) this.heard();
          return step;
        };
      return events;
    });
  }

  stop(): void {
    this.#stopTimer();
  }

  #look(): void {
    const patience = this.#ms + (this.#calls.size > 0 ? callGraceMs : 0);
    const left = this.#questions > 0 ? this.#ms : this.#heardAt + patience - this.#clock.elapsed();
    if (left > 0) this.#stopTimer = this.#clock.timer(Math.ceil(left), () => this.#look());
    else this.#onStall();
  }
}
