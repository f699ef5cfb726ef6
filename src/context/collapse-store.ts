/**
 * The spans that a session has staged: finished work with summaries made in the background, one at a time. A call starts only while a
 * request is being prepared. It belongs to the session: it outlives the turn, and `close` ends it.
 */
import { isLeftOutNotice } from "../protocol/left-out-kinds.ts";
import type { Message } from "../protocol/index.ts";
import {
  findPlaces,
  countParts,
  longestSummary,
  readStaged,
  type SpanPlace,
  type StagedCollapse,
} from "./collapse-staged.ts";
import { summarizeSpan, type SpanTask } from "./collapse-summary.ts";
import { localSpanSummary } from "./collapse-text.ts";
import { headOf } from "../lib/text-cut.ts";
import type { CollapseStore, Pass } from "./layer.ts";
import { createDigest } from "./local-trim.ts";
import { textTokens } from "./measure.ts";
import type { ContextPolicy } from "./policy.ts";
import { SpanFinder, type WorkSpan, type SpanLimits } from "./spans.ts";
import { smallerOfTokensAndShare } from "./window.ts";

export interface CollapseStoreOptions {
  /** What an earlier process staged. */
  restored?: unknown;
  /** Called with everything that is staged whenever something was added. */
  onStaged?: (staged: readonly StagedCollapse[]) => void;
}

/** The most entries restored from a transcript. */
const mostRestored = 64;

export class SessionCollapseStore implements CollapseStore {
  readonly #options: CollapseStoreOptions;
  #controller = new AbortController();
  #isClosed = false;
  /** Failed attempts, by the uuid of the span's first message. */
  readonly #failures = new Map<string, number>();
  #staged: StagedCollapse[];
  /** Positions of the staged spans in the conversation seen last. */
  #stagedRanges: { start: number; end: number }[] = [];
  #finder: { limits: SpanLimits; spans: SpanFinder } | undefined;
  #running: Promise<void> | undefined;
  #hasCalled = false;

  constructor(options: CollapseStoreOptions) {
    this.#options = options;
    this.#staged = readStaged(options.restored, mostRestored);
  }

  /** Whether a call was made, which may have cost money. */
  get hasCalledModel(): boolean {
    return this.#hasCalled;
  }

  places(messages: readonly Message[]): SpanPlace[] {
    return findPlaces(messages, this.#staged);
  }

  /** Starts the summary of the oldest finished span without one. Returns at once. */
  stage(pass: Pass): void {
    if (this.#isClosed || this.#running !== undefined) return;
    const span = this.#nextSpan(pass);
    if (span === undefined) return;
    this.#hasCalled = true;
    const over = (): void => {
      this.#running = undefined;
    };
    this.#running = this.#summarizeAndStage(pass, span).then(over, over);
  }

  /** Settles once no call is running. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Ends a running call. */
  end(): void {
    this.#controller.abort("interrupted");
    this.#controller = new AbortController();
  }

  /** Ends a running call, and starts no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.end();
    await this.settled();
  }

  #nextSpan({ messages, window, world }: Pass): WorkSpan | undefined {
    const { policy } = world;
    const limits = spanLimits(window.effective, policy);
    const known = this.#finder;
    const isKnown = known?.limits.minTokens === limits.minTokens && known.limits.maxTokens === limits.maxTokens;
    const finder = isKnown ? known : { limits, spans: new SpanFinder(limits) };
    this.#finder = finder;
    const { spans, hasRestarted } = finder.spans.findSpans(
      messages,
      smallerOfTokensAndShare(window.effective, policy.keepRecent),
    );
    if (hasRestarted || !isKnown) {
      const places = this.places(messages);
      this.#stagedRanges = places.map(({ start, end }) => ({ start, end }));
      this.#staged = places.map(({ staged }) => staged);
    }
    if (this.#staged.length >= policy.stagedCollapses) return undefined;
    return spans.find(({ start, end }) =>
      this.#stagedRanges.every((staged) => end <= staged.start || staged.end <= start),
    );
  }

  async #summarizeAndStage(pass: Pass, span: WorkSpan): Promise<void> {
    const { signal } = this.#controller;
    const summary = await this.#summaryOf(pass, span, signal);
    if (summary === undefined || signal.aborted) return;
    const { from, to, start, end } = span;
    this.#failures.delete(from);
    this.#stagedRanges.push({ start, end });
    this.#staged.push({ from, to, count: countParts(pass.messages.slice(start, end)), summary });
    this.#options.onStaged?.(this.#staged);
  }

  /** Returns a summary by the model; after enough failures, a local digest. Undefined: not yet. */
  async #summaryOf(pass: Pass, span: WorkSpan, signal: AbortSignal): Promise<string | undefined> {
    const { world } = pass;
    const most = span.tokens * world.policy.collapsedShare;
    const task = createSpanTask(pass, span);
    const text = await summarizeSpan(world, task, signal).catch(() => undefined);
    // An aborted call is not a failure.
    if (signal.aborted) return undefined;
    if (text !== undefined && textTokens(text) <= most) return text;
    const failures = (this.#failures.get(span.from) ?? 0) + 1;
    this.#failures.set(span.from, failures);
    if (failures < world.policy.spanSummaryAttempts) return undefined;
    return headOf(localSpanSummary(createDigest(task.messages, most / 2).lines), longestSummary);
  }
}

/** Smaller spans are not worth a call of their own. */
const leastShare = 0.02;

function spanLimits(effective: number, { spanLeast, spanMost }: ContextPolicy): SpanLimits {
  const minTokens = Math.max(smallerOfTokensAndShare(effective, spanLeast), Math.floor(effective * leastShare));
  return { minTokens, maxTokens: smallerOfTokensAndShare(effective, spanMost) };
}

function createSpanTask({ input, messages, window, world }: Pass, { start, end, prompt }: WorkSpan): SpanTask {
  const promptMessage = prompt === undefined ? undefined : messages[prompt];
  return {
    prompt: promptMessage?.type === "user" ? promptMessage : undefined,
    messages: messages.slice(start, end),
    notices: messages.filter(isLeftOutNotice),
    model: input.model,
    fixedTokens: input.fixedTokens,
    mostTokens: spanLimits(window.effective, world.policy).maxTokens,
    key: `${input.key}.collapse`,
  };
}
