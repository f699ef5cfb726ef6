/** An actor in a session, the session itself or one of its agents, and its current work, for spans and events. */
import type { Attributes, SpanContext } from "../../telemetry/record.ts";
import type { OpenSpan } from "../../telemetry/telemetry.ts";

/** The figures of one run of the loop so far. */
export interface RunFigures {
  /** ms since some moment. */
  startedAt: number;
  /** ms spent only waiting for a person. */
  waitedMs: number;
  tokens: number;
  calls: number;
  model: string;
  /** The number of failures since the last answer; `failedFrom`: when the first came; `lastFailure`: the last one. */
  failures: number;
  failedFrom: number;
  lastFailure: Attributes;
}

export class Actor {
  readonly agent: { id: string; type: string } | undefined;
  /** The parent of its own spans. */
  parent: SpanContext | undefined;
  #interaction: OpenSpan | undefined;
  run: RunFigures | undefined;
  /** Text of the response that is arriving, and the call that it belongs to. */
  response: { messageId: string; text: string } | undefined;
  interactions = 0;

  constructor(agent: { id: string; type: string } | undefined, parent: SpanContext | undefined) {
    this.agent = agent;
    this.parent = parent;
  }

  get context(): SpanContext | undefined {
    return this.#interaction?.context ?? this.parent;
  }

  /** Starts a prompt's span and ends the previous one. */
  beginInteraction(span: OpenSpan): void {
    this.endInteraction();
    this.#interaction = span;
    this.interactions += 1;
  }

  endInteraction(attributes: Attributes = {}, isError = false): void {
    this.#interaction?.end(attributes, isError);
    this.#interaction = undefined;
  }
}
