/** The turns of a query: its prompts start them, and so does the news of background agents. */
import { itemsUntilAborted } from "../../lib/items-until-aborted.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { QueryEngine } from "../engine.ts";
import { isRecord } from "../../lib/is-record.ts";
import { AddedPrompts, type PromptPlace } from "./added-prompts.ts";
import {
  agentsEndedPrompt,
  LateAgents,
  newsMarker,
  agentReportOptions,
  isLimitResult,
  withNewsMarkers,
} from "./late-agents.ts";
import { readPromptInput, replayOf, type ReadPrompt, type Signals } from "./query-prompt.ts";
import type { PromptInput, QueryParams } from "./query-types.ts";

export class QueryTurns {
  readonly #params: QueryParams;
  readonly #signals: Signals;
  readonly #agents = new LateAgents();
  readonly #addedPrompts = new AddedPrompts(() => this.#agents.wake());
  #state: "none" | "running" | "between" | "waiting" | "over" = "none";
  /** An interrupt came before the first turn, and ends it. */
  #isLatched = false;
  /** Whether the last turn ended at a limit. */
  #hasReachedLimit = false;
  /** Set while a turn runs. */
  #runningEngine: QueryEngine | undefined;

  constructor(params: QueryParams, signals: Signals) {
    this.#params = params;
    this.#signals = signals;
  }

  get isOver(): boolean {
    return this.#state === "over";
  }

  end(): void {
    this.#state = "over";
  }

  /** Returns the uuids of the prompts that have turns of their own after the turn that this ends. */
  async interrupt(openEngine: () => Promise<QueryEngine>): Promise<string[]> {
    const isFirst = this.#state === "none";
    if (isFirst) this.#isLatched = true;
    else if (this.#state === "waiting") this.#agents.stopWaiting();
    else if (this.#state !== "over") this.#agents.stop(await openEngine());
    if (this.isOver) return [];
    // The first turn may be that of an added prompt: its own prompts may not be there yet.
    const skipsFirst = isFirst && typeof this.#params.prompt !== "string";
    return [...this.#joiningUuids(), ...this.#addedPrompts.uuids({ skipsFirst })];
  }

  /** The uuids of the prompts that wait to join the running turn. */
  #joiningUuids(): string[] {
    const engine = this.#runningEngine;
    if (engine === undefined) return [];
    const waiting: { uuid: string; prompt: ContentBlock[] }[] = [];
    for (let next = engine.takeQueued(); next !== undefined; next = engine.takeQueued()) waiting.push(next);
    for (const { uuid, prompt } of waiting) engine.enqueue(prompt, uuid);
    return waiting.map(({ uuid }) => uuid);
  }

  /** Adds a host's prompts as they arrive. Resolves once all are read. */
  async add(prompts: AsyncIterable<PromptInput>): Promise<void> {
    await this.#addedPrompts.read(itemsUntilAborted(prompts, this.#signals), (prompt) => this.#placeOf(prompt));
  }

  /** Gives a prompt of the priority `next` to the running turn, and ends that turn for a prompt of the priority `now`. */
  #placeOf(prompt: PromptInput): PromptPlace {
    const engine = this.#runningEngine;
    if (!isRecord(prompt) || (prompt.priority !== "now" && prompt.priority !== "next")) return "last";
    const { content, uuid, isAppended, isMeta, isVerbatim } = readPromptInput(prompt);
    if (isAppended || isMeta === true) return "last";
    if (prompt.priority === "now") {
      engine?.interrupt("interrupt");
      return "first";
    }
    // A queued prompt that no step takes comes back without `isVerbatim`, so text written by others is not queued.
    if (engine === undefined || isVerbatim === true) return "last";
    engine.enqueue(content, uuid);
    return "turn";
  }

  async *run(engine: QueryEngine): AsyncGenerator<SDKMessage, void> {
    const { prompt } = this.#params;
    // A text prompt is submitted even if the host has aborted: its result says so.
    if (typeof prompt === "string") yield* this.#runTurn(engine, readPromptInput(prompt));
    else yield* this.#runPrompts(engine, prompt);
    for (;;) {
      yield* this.#runPrompts(engine);
      this.#state = "waiting";
      if (!this.#hasReachedLimit && (await this.#agents.waitForNews(engine, this.#signals)))
        yield* this.#reportNews(engine);
      else if (this.#signals.some((signal) => signal?.aborted === true)) return;
      else if (this.#addedPrompts.isEmpty) break;
    }
    // A host that was told of an agent's start also waits for its end.
    if (!this.#agents.isInterrupted) yield* (await engine.background.endAgents?.()) ?? [];
  }

  async *#runPrompts(engine: QueryEngine, own?: AsyncIterable<PromptInput>): AsyncGenerator<SDKMessage, void> {
    if (own === undefined && this.#addedPrompts.isEmpty) return;
    const [signals, none] = [this.#signals, (async function* (): AsyncGenerator<PromptInput> {})()];
    const look = { haveNews: () => this.#agents.waitForNews(engine, signals), wake: () => this.#agents.wake() };
    const prompts = this.#addedPrompts.mergedWith(own === undefined ? none : itemsUntilAborted(own, signals));
    for await (const prompt of withNewsMarkers(itemsUntilAborted(prompts, signals), look))
      yield* prompt === newsMarker ? this.#reportNews(engine) : this.#runTurn(engine, readPromptInput(prompt));
  }

  /** A turn that failed may have reported nothing, and would fail again: the next prompt reports it instead. */
  async *#reportNews(engine: QueryEngine): AsyncGenerator<SDKMessage, void> {
    for await (const message of this.#runTurn(engine, {
      content: agentsEndedPrompt,
      isAppended: false,
      ...agentReportOptions,
    })) {
      if (message.type === "result") this.#agents.isHeld = message.is_error;
      yield message;
    }
  }

  /** Runs a prompt's turn, then those of prompts that came to be next meanwhile. */
  async *#runTurn(engine: QueryEngine, prompt: ReadPrompt): AsyncGenerator<SDKMessage, void> {
    let next: ReadPrompt | undefined = prompt;
    while (next !== undefined) {
      yield* this.#runOneTurn(engine, next);
      next = this.#signals.some((signal) => signal?.aborted === true) ? undefined : this.#takeFollowing(engine);
    }
  }

  /** Prompts of the priority `now`, then prompts that came too late to join the turn. */
  #takeFollowing(engine: QueryEngine): ReadPrompt | undefined {
    const first = this.#addedPrompts.takeFirst();
    if (first !== undefined) return readPromptInput(first);
    const left = engine.takeQueued();
    return left === undefined ? undefined : { content: left.prompt, uuid: left.uuid, isAppended: false };
  }

  async *#runOneTurn(
    engine: QueryEngine,
    { content, isAppended, ...options }: ReadPrompt,
  ): AsyncGenerator<SDKMessage, void> {
    const replayed = this.#shouldReplay ? (options.uuid ??= crypto.randomUUID()) : undefined;
    if (isAppended) {
      engine.append(content, options);
      if (replayed !== undefined) yield replayOf(content, replayed, engine.getSessionId());
      return;
    }
    this.#state = "running";
    this.#runningEngine = engine;
    this.#agents.isHeld = false;
    for await (const message of engine.submitMessage(content, options)) {
      if (this.#isLatched) this.#agents.stop(engine);
      this.#isLatched = false;
      if (message.type === "result") this.#hasReachedLimit = isLimitResult(message);
      yield message;
      if (replayed !== undefined && message.type === "system" && message.subtype === "init")
        yield replayOf(content, replayed, engine.getSessionId());
    }
    this.#state = "between";
    this.#runningEngine = undefined;
  }

  /** Whether each prompt is replayed as its turn begins, so that the host learns its uuid. */
  get #shouldReplay(): boolean {
    return this.#params.options?.extraArgs?.["replay-user-messages"] !== undefined;
  }
}
