/**
 * A call as the generator from which the loop takes events. It is no async generator function, because that would cost three
 * promises for each event that is already there.
 */
import type { ModelEvent, ModelOutcome, ModelRequest, ModelStream } from "../../protocol/model.ts";
import { Call, type CallOptions } from "./call.ts";
import { addToolName } from "./tool-name.ts";
import type { UnknownFields } from "./unknown-fields.ts";

type Step = IteratorResult<ModelEvent, ModelOutcome>;

/** For one consumer that asks for one event at a time. */
export class CallStream implements ModelStream {
  readonly #options: CallOptions;
  readonly #request: ModelRequest;
  readonly #signal: AbortSignal;
  readonly #unknownFields: UnknownFields;
  #call: Call | undefined;
  /** Events read and not yet handed on, from `#at` on. */
  #events: ModelEvent[] = [];
  #at = 0;
  #isOver = false;

  constructor(options: CallOptions, request: ModelRequest, signal: AbortSignal, unknownFields: UnknownFields) {
    this.#options = options;
    this.#request = request;
    this.#signal = signal;
    this.#unknownFields = unknownFields;
  }

  next(): Promise<Step> {
    const step = this.ready();
    return step === undefined ? this.#advance() : Promise.resolve(step);
  }

  /** Gives up whatever is still being awaited. */
  return(value: ModelOutcome | PromiseLike<ModelOutcome>): Promise<Step> {
    this.#close();
    return Promise.resolve(value).then((outcome) => ({ done: true, value: outcome }));
  }

  throw(error: unknown): Promise<Step> {
    this.#close();
    return Promise.reject(error as Error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
  }

  #advance(): Promise<Step> {
    this.#call ??= new Call(this.#options, this.#request, this.#signal);
    return this.#call.next().then(this.#takeEvents);
  }

  readonly #takeEvents = (events: ModelEvent[]): Step => {
    this.#events = events;
    this.#at = 0;
    return this.ready() as Step;
  };

  /** The next step if one is there; undefined if the call has to be asked. */
  ready(): Step | undefined {
    if (this.#isOver) return { done: true, value: undefined as never };
    const call = this.#call;
    if (call === undefined) return undefined;
    if (this.#at < this.#events.length) {
      if (!call.interrupted) return { done: false, value: this.#events[this.#at++] as ModelEvent };
      call.giveUp(this.#events.slice(this.#at));
      this.#events = [];
    }
    if (call.outcome === undefined) return undefined;
    this.#close();
    if (!call.outcome.ok) {
      this.#unknownFields.recordRefusal(this.#request, call.outcome.failure);
      addToolName(this.#request, call.outcome.failure);
    }
    return { done: true, value: call.outcome };
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call?.close();
  }
}
