/** Observes model calls: their cost, duration and failures. The stream passes through unchanged. */
import type { Catalog } from "../../model/catalog.ts";
import type { ModelEvent, ModelOutcome, ModelPort, ModelRequest, ModelStream } from "../../protocol/model.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { Usage } from "../../protocol/usage.ts";
import type { Attributes } from "../../telemetry/record.ts";
import type { OpenSpan } from "../../telemetry/telemetry.ts";
import { mapModelSteps } from "../../model/with-stream.ts";
import type { Actor } from "./actor.ts";
import type { TelemetryReporter } from "./telemetry-reporter.ts";

interface WatchContext {
  watch: TelemetryReporter;
  catalog: Catalog;
  actor: Actor;
}

/** Maps a watched model to the model itself, so that an agent's calls are reported only for the agent. */
const unwatchedModels = new WeakMap<ModelPort, ModelPort>();

export function watchModel<M extends ModelPort>(port: M, context: WatchContext): M {
  const model = (unwatchedModels.get(port) ?? port) as M;
  const watched = {
    ...model,
    stream: (request: ModelRequest, signal: AbortSignal) =>
      passThrough(model.stream(request, signal), new WatchedCall(request, context)),
    measure: (request: ModelRequest) => model.measure(request),
    info: (name: string) => model.info(name),
  };
  unwatchedModels.set(watched, model);
  return watched;
}

function passThrough(stream: ModelStream, call: WatchedCall): ModelStream {
  return mapModelSteps(
    stream,
    (step) => {
      if (step.done === true) call.onEnd(step.value);
      else call.onEvent(step.value);
      return step;
    },
    () => call.onEnd(undefined),
  );
}

/** Names who asks, as the convention does. */
export function querySourceOf({ querySource }: ModelRequest): string {
  if (querySource === "main" || querySource === "sdk") return "main";
  return querySource === "subagent" ? "subagent" : "auxiliary";
}

class WatchedCall {
  readonly #request: ModelRequest;
  readonly #context: WatchContext;
  readonly #startedAt: number;
  readonly #span: OpenSpan | undefined;
  #ttftMs: number | undefined;
  #requestId: string | undefined;
  #messageId: string | undefined;
  readonly #blocks: ContentBlock[] = [];

  constructor(request: ModelRequest, context: WatchContext) {
    this.#request = request;
    this.#context = context;
    const { watch, actor } = context;
    this.#startedAt = watch.elapsed();
    const { hasTraces, plan } = watch.telemetry;
    if (hasTraces) {
      const about = { ...watch.common(actor), "span.type": "llm_request", ...this.#attributes };
      this.#span = watch.telemetry.span("llm_request", actor.context, about);
    }
    if (plan.content.rawBodies) watch.guarded(() => this.#reportBody());
  }

  get #attributes(): Attributes {
    const { model, effort, speed = "normal" } = this.#request;
    return { model, query_source: querySourceOf(this.#request), speed, effort };
  }

  #reportBody(): void {
    const { model, system, tools, messages, maxTokens, thinking, effort } = this.#request;
    const body = JSON.stringify({ model, system, tools, messages, max_tokens: maxTokens, thinking, effort });
    this.#event("api_request_body", { ...this.#attributes, body, body_length: body.length });
  }

  #event(name: string, attributes: Attributes): void {
    this.#context.watch.event(name, attributes, this.#context.actor);
  }

  onEvent(event: ModelEvent): void {
    this.#ttftMs ??= Math.round(this.#context.watch.elapsed() - this.#startedAt);
    if (event.type === "start") {
      this.#requestId = event.requestId;
      this.#messageId = event.messageId;
    } else if (event.type === "block" && this.#context.watch.telemetry.plan.content.rawBodies)
      this.#blocks.push(event.block);
  }

  /** Undefined: nobody waited for the end. */
  onEnd(outcome: ModelOutcome | undefined): void {
    this.#context.watch.guarded(() => this.#report(outcome));
  }

  #report(outcome: ModelOutcome | undefined): void {
    const timed: Attributes = {
      ...this.#attributes,
      duration_ms: Math.round(this.#context.watch.elapsed() - this.#startedAt),
      request_id: this.#requestId,
    };
    const usage = outcome?.usage;
    const figures =
      usage === undefined ? {} : this.#countUsage(usage, outcome?.ok === true && outcome.unbilled === true);
    if (outcome === undefined) this.#span?.end({ ...timed, success: false, error: "left" }, true);
    else if (outcome.ok) this.#reportSuccess(outcome, { ...timed, ...figures });
    else this.#reportFailure(outcome, { ...timed, ...figures });
  }

  #reportSuccess(outcome: Extract<ModelOutcome, { ok: true }>, attributes: Attributes): void {
    const { stopReason } = outcome;
    if (stopReason === "refusal") this.#event("api_refusal", attributes);
    this.#event("api_request", attributes);
    if (this.#context.watch.telemetry.plan.content.rawBodies) {
      const content = this.#blocks.map((block) => (block.type === "opaque" ? block.wire : block));
      const body = JSON.stringify({
        id: this.#messageId,
        model: this.#request.model,
        content,
        stop_reason: stopReason,
      });
      this.#event("api_response_body", {
        ...this.#attributes,
        request_id: this.#requestId,
        body,
        body_length: body.length,
      });
    }
    this.#span?.end({ ...attributes, ttft_ms: this.#ttftMs, success: true, stop_reason: stopReason ?? undefined });
  }

  #reportFailure({ failure }: Extract<ModelOutcome, { ok: false }>, attributes: Attributes): void {
    const error = {
      error: this.#context.watch.errorOf(failure),
      error_type: failure.kind,
      status_code: failure.status,
    };
    const request_id = this.#requestId ?? failure.requestId;
    if (failure.kind !== "aborted") this.#event("api_error", { ...attributes, ...error, request_id });
    this.#span?.end({ ...attributes, ...error, request_id, ttft_ms: this.#ttftMs, success: false }, true);
  }

  #countUsage(usage: Usage, isFree: boolean): Attributes {
    const { watch, catalog, actor } = this.#context;
    const usd = isFree ? 0 : catalog.costOf(this.#request.model, usage).usd;
    const tokens = {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cacheRead: usage.cacheReadInputTokens,
      cacheCreation: usage.cacheCreationInputTokens,
    };
    watch.count("cost.usage", usd, this.#attributes);
    for (const [type, number] of Object.entries(tokens))
      watch.count("token.usage", number, { ...this.#attributes, type });
    if (actor.run !== undefined) {
      actor.run.tokens += tokens.input + tokens.output + tokens.cacheRead + tokens.cacheCreation;
      actor.run.model = this.#request.model;
    }
    return {
      cost_usd: usd,
      input_tokens: tokens.input,
      output_tokens: tokens.output,
      cache_read_tokens: tokens.cacheRead,
      cache_creation_tokens: tokens.cacheCreation,
    };
  }
}
