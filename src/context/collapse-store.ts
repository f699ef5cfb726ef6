/**
 * What a session has staged: finished spans with their summaries, made in the background, one at a time. A call is begun only
 * while a request is being prepared, and belongs to the session: it outlives the turn, and `close` ends it.
 */
import type { Message } from "../protocol/index.ts";
import {
  placesOf,
  countParts,
  longestSummary,
  readStaged,
  type Place,
  type StagedCollapse,
} from "./collapse-staged.ts";
import { summarizeSpan, type SpanTask } from "./collapse-summary.ts";
import { localSpanSummary } from "./collapse-text.ts";
import { headOf } from "../lib/text-cut.ts";
import type { CollapseStore, Pass } from "./layer.ts";
import { digestOf } from "./local-trim.ts";
import { textTokens } from "./measure.ts";
import type { ContextPolicy } from "./policy.ts";
import { SpanFinder, type Span, type SpanLimits } from "./spans.ts";
import { shareOf } from "./window.ts";

export interface CollapsesOptions {
  /** What an earlier process staged. */
  restored?: unknown;
  /** Told of all that is staged whenever something was added. */
  onStaged?: (staged: readonly StagedCollapse[]) => void;
}

/** Of what a transcript says. */
const mostRestored = 64;

export class Collapses implements CollapseStore {
  readonly #options: CollapsesOptions;
  #controller = new AbortController();
  #isClosed = false;
  /** Failed attempts by the span's first message. */
  readonly #failures = new Map<string, number>();
  #staged: StagedCollapse[];
  /** Where they are in the conversation that was looked at last. */
  #taken: { start: number; end: number }[] = [];
  #finder: { limits: SpanLimits; spans: SpanFinder } | undefined;
  #running: Promise<void> | undefined;
  #hasCalled = false;

  constructor(options: CollapsesOptions) {
    this.#options = options;
    this.#staged = readStaged(options.restored, mostRestored);
  }

  /** Something may have been spent on a call. */
  get hasCalled(): boolean {
    return this.#hasCalled;
  }

  places(messages: readonly Message[]): Place[] {
    return placesOf(messages, this.#staged);
  }

  /** Begins the summary of the oldest finished span that has none; returns at once. */
  stage(pass: Pass): void {
    if (this.#isClosed || this.#running !== undefined) return;
    const span = this.#next(pass);
    if (span === undefined) return;
    this.#hasCalled = true;
    const over = (): void => {
      this.#running = undefined;
    };
    this.#running = this.#make(pass, span).then(over, over);
  }

  /** Settles once nothing runs. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Ends what runs. */
  end(): void {
    this.#controller.abort("interrupted");
    this.#controller = new AbortController();
  }

  /** The same, and nothing is begun any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.end();
    await this.settled();
  }

  #next({ messages, window, world }: Pass): Span | undefined {
    const { policy } = world;
    const limits = spanLimits(window.effective, policy);
    const isKnown = this.#finder?.limits.least === limits.least && this.#finder.limits.most === limits.most;
    const finder = isKnown && this.#finder !== undefined ? this.#finder : { limits, spans: new SpanFinder(limits) };
    this.#finder = finder;
    const { spans, anew } = finder.spans.look(messages, shareOf(window.effective, policy.keepRecent));
    if (anew || !isKnown) {
      const places = this.places(messages);
      this.#taken = places.map(({ start, end }) => ({ start, end }));
      this.#staged = places.map(({ staged }) => staged);
    }
    if (this.#staged.length >= policy.stagedCollapses) return undefined;
    return spans.find(({ start, end }) => this.#taken.every((taken) => end <= taken.start || taken.end <= start));
  }

  async #make(pass: Pass, span: Span): Promise<void> {
    const { signal } = this.#controller;
    const summary = await this.#summaryOf(pass, span, signal);
    if (summary === undefined || signal.aborted) return;
    const { from, to, start, end } = span;
    this.#failures.delete(from);
    this.#taken.push({ start, end });
    this.#staged.push({ from, to, count: countParts(pass.messages.slice(start, end)), summary });
    this.#options.onStaged?.(this.#staged);
  }

  /** By the model; where it has failed to often enough, by a local digest. Undefined: not yet. */
  async #summaryOf(pass: Pass, span: Span, signal: AbortSignal): Promise<string | undefined> {
    const { world } = pass;
    const most = span.tokens * world.policy.collapsedShare;
    const task = taskOf(pass, span);
    const { text } = await summarizeSpan(world, task, signal).catch(() => noSummary);
    // Who was told to end has not failed.
    if (signal.aborted) return undefined;
    if (text !== undefined && textTokens(text) <= most) return text;
    const failures = (this.#failures.get(span.from) ?? 0) + 1;
    this.#failures.set(span.from, failures);
    if (failures < world.policy.spanSummaryAttempts) return undefined;
    return headOf(localSpanSummary(digestOf(task.messages, most / 2).lines), longestSummary);
  }
}

const noSummary = { text: undefined };

/** Nothing smaller is worth a call of its own. */
const leastShare = 0.02;

function spanLimits(effective: number, { spanLeast, spanMost }: ContextPolicy): SpanLimits {
  const least = Math.max(shareOf(effective, spanLeast), Math.floor(effective * leastShare));
  return { least, most: shareOf(effective, spanMost) };
}

function taskOf({ input, messages, window, world }: Pass, { start, end, prompt }: Span): SpanTask {
  const said = prompt === undefined ? undefined : messages[prompt];
  return {
    prompt: said?.type === "user" ? said : undefined,
    messages: messages.slice(start, end),
    model: input.model,
    fixedTokens: input.fixedTokens,
    mostTokens: spanLimits(window.effective, world.policy).most,
    key: `${input.key}.collapse`,
  };
}
