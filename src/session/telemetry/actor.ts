/** Who does something in a session: the session itself, or an agent of it. What it is at, for the spans and events about it. */
import type { Attributes, SpanContext } from "../../telemetry/record.ts";
import type { OpenSpan } from "../../telemetry/telemetry.ts";

/** One run of the loop, so far. */
export interface RunFigures {
  /** ms since some moment. */
  from: number;
  /** ms in which nothing was done but wait for a person. */
  waitedMs: number;
  tokens: number;
  calls: number;
  model: string;
  /** Failures since the last answer, the last of them, and when the first came. */
  failures: number;
  failedFrom: number;
  lastFailure: Attributes;
}

export class Actor {
  readonly agent: { id: string; type: string } | undefined;
  /** What its own spans hang below. */
  parent: SpanContext | undefined;
  #interaction: OpenSpan | undefined;
  run: RunFigures | undefined;
  /** Text of the response that is coming, and the call it came with. */
  response: { messageId: string; text: string } | undefined;
  interactions = 0;

  constructor(agent: { id: string; type: string } | undefined, parent: SpanContext | undefined) {
    this.agent = agent;
    this.parent = parent;
  }

  get context(): SpanContext | undefined {
    return this.#interaction?.context ?? this.parent;
  }

  /** A prompt: what was open of the one before is over. */
  interact(span: OpenSpan): void {
    this.leave();
    this.#interaction = span;
    this.interactions += 1;
  }

  leave(attributes: Attributes = {}, isError = false): void {
    this.#interaction?.end(attributes, isError);
    this.#interaction = undefined;
  }
}
