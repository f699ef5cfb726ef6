// The scripted model behind the Model port. It obeys an abort at once, as an adapter must, except where a step is deaf.
import type {
  ModelEvent,
  ModelInfo,
  ModelOutcome,
  ModelPort,
  ModelRequest,
  ModelStream,
} from "../../../src/protocol/model.ts";
import { noUsage } from "../../../src/protocol/usage.ts";
import { say, type Reply, type Script, type Step } from "./script.ts";
import { never, type VirtualClock } from "./virtual-clock.ts";
import type { World } from "./world.ts";

const plainInfo: Omit<ModelInfo, "id"> = {
  known: true,
  contextWindow: 200_000,
  maxOutputTokens: 64_000,
  thinking: "adaptive",
  thinkingBoundToPrefix: true,
  keepsOldThinking: true,
  efforts: [],
  minCacheTokens: 512,
  maxImages: 100,
};

export class ScriptedModel implements ModelPort {
  readonly requests: ModelRequest[] = [];
  /** How many records there were when each request was made. */
  readonly recordsAt: number[] = [];
  readonly #world: World;
  readonly #clock: VirtualClock;
  readonly #infos: Record<string, Partial<ModelInfo>>;
  #script: Script;
  /** Events that need no time are ready once the one before them was taken. */
  answersAtOnce = false;
  /** Streams opened and not ended. */
  open = 0;
  #messages = 0;
  #requested = 0;

  constructor(world: World, clock: VirtualClock, script: Script, infos: Record<string, Partial<ModelInfo>> = {}) {
    this.#world = world;
    this.#clock = clock;
    this.#script = script;
    this.#infos = infos;
  }

  stream(request: ModelRequest, signal: AbortSignal): ModelStream {
    return this.#world.call("model.stream", { key: request.key }, () => {
      const at = this.#requested++;
      if (this.#world.isLean) this.requests.length = 0;
      this.requests.push(request);
      this.recordsAt.push(this.#world.records());
      const playing: Playing = { ...this.#next(request, at), at: 0, hasStarted: false };
      const stream: ModelStream = this.#play(playing, signal);
      if (this.answersAtOnce) stream.ready = () => this.#ready(playing, signal);
      return stream;
    });
  }

  measure(request: ModelRequest): { bytes: number } {
    return this.#world.call("model.measure", {}, () => ({ bytes: 100 * request.messages.length }));
  }

  info(model: string): ModelInfo {
    return this.#world.call("model.info", {}, () => ({ ...plainInfo, id: model, ...this.#infos[model] }));
  }

  get requested(): number {
    return this.#requested;
  }

  /** Replies the run did not ask for. */
  get remainingReplies(): number {
    return typeof this.#script === "function" ? 0 : Math.max(0, this.#script.length - this.#requested);
  }

  #next(request: ModelRequest, at: number): Reply {
    if (typeof this.#script === "function") return this.#script(request, at);
    return this.#script[at] ?? say("The script is over.");
  }

  async *#play(reply: Playing, signal: AbortSignal): AsyncGenerator<ModelEvent, ModelOutcome> {
    this.open++;
    try {
      while (reply.at < reply.steps.length) {
        if (signal.aborted) return aborted(reply);
        const step = reply.steps[reply.at++]!;
        await this.#world.callAsync("model.next", {}, async () => {
          await this.#wait(step, signal);
        });
        if (signal.aborted && step.do !== "sleep" && step.do !== "hang") return aborted(reply);
        const event = this.#event(step, reply);
        if (event !== null) yield event;
      }
      if (signal.aborted) return aborted(reply);
      return await this.#world.callAsync(
        "model.end",
        {},
        async () => reply.outcome,
        () => ({ ok: false, failure: { kind: "server_error", message: "injected", recovery: "none", status: 500 } }),
      );
    } finally {
      this.open--;
    }
  }

  #ready(reply: Playing, signal: AbortSignal): IteratorResult<ModelEvent, ModelOutcome> | undefined {
    const step = reply.steps[reply.at];
    const isAtOnce = step?.do === "start" || step?.do === "block" || step?.do === "raw";
    if (reply.at === 0 || !isAtOnce || signal.aborted) return undefined;
    return this.#world.call("model.ready", {}, () => {
      reply.at++;
      return { done: false, value: this.#event(step, reply)! };
    });
  }

  async #wait(step: Step, signal: AbortSignal): Promise<void> {
    if (step.do === "sleep") await this.#clock.sleep(step.ms, step.deaf === true ? undefined : signal);
    else if (step.do === "hang") await (step.deaf === true ? never() : untilAborted(signal));
    else if (step.do === "effect") await step.effect();
    else if (step.do === "throw") throw new Error(step.message);
  }

  #event(step: Step, reply: Playing): ModelEvent | null {
    if (step.do === "raw") return { type: "raw", event: step.event };
    if (step.do === "start") {
      reply.hasStarted = true;
      const messageId = step.messageId ?? `msg_${++this.#messages}`;
      return step.requestId === undefined
        ? { type: "start", messageId, usage: noUsage }
        : { type: "start", messageId, requestId: step.requestId, usage: noUsage };
    }
    if (step.do !== "block") return null;
    return step.invalidInput === undefined
      ? { type: "block", index: 0, block: step.block }
      : { type: "block", index: 0, block: step.block, invalidInput: step.invalidInput };
  }
}

interface Playing extends Reply {
  /** Of the next step. */
  at: number;
  hasStarted: boolean;
}

function aborted(reply: Playing): ModelOutcome {
  return {
    ok: false,
    failure: { kind: "aborted", message: "The request was cancelled.", recovery: "none" },
    ...(reply.hasStarted ? { usage: { ...noUsage, inputTokens: 100 } } : {}),
    ...(reply.partialText === undefined ? {} : { partialText: reply.partialText }),
  };
}

/** Settles when the signal aborts, leaving no listener. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
