/**
 * The session's money: one ledger for everything that calls a model. A call is admitted before it is made, against an upper
 * bound of what it can cost, so the bill never exceeds the budget. USD.
 */
import { copyJson } from "../../protocol/copy-json.ts";
import { formatDollars } from "../../lib/format-figures.ts";
import { usFactor } from "../../model/cost.ts";
import type { Admission, AdmissionRequest, BudgetPort, Settlement } from "../../protocol/money.ts";
import type { ModelInfo, PriceTier } from "../../protocol/model.ts";
import { totalInputTokens, type ModelUsage, type Usage } from "../../protocol/usage.ts";
import { minUsefulAnswerTokens } from "../../protocol/useful-answer.ts";
import {
  callCostBound,
  tokenBoundFromCount,
  isPlausibleCount,
  textBytes,
  type CallCostBound,
  type UnaffordableCall,
} from "./call-cost-bound.ts";
import type { LedgerSnapshot, OpenCall } from "./ledger-snapshot.ts";
import { WorkStatistics } from "./work-statistics.ts";

/** Share of the remaining budget that a call nobody waits for may take. */
const maxSpareShare = 0.1;

interface Reservation {
  model: string;
  usd: number;
  startedAt: number;
  openCall?: OpenCall;
}

export interface LedgerOptions {
  /** Bounds what is spent from now on; a resumed session's earlier cost does not count against it. */
  maxBudgetUsd?: number;
  info(model: string): ModelInfo;
  /** Cost of a response, and whether every part of it has a price. */
  costOf(model: string, usage: Usage): { usd: number; known: boolean };
  cacheTtl: "5m" | "1h";
  restored?: LedgerSnapshot;
  /** Responses that were paid for since `restored` was written. Those without a recorded cost are priced now. */
  unbooked?: readonly { model: string; usage: Usage; costUsd?: number }[];
  onUnknownModel(model: string): void;
  /** The server counts no tokens of a request or answer: its cost is unknown. Once per model, unless `onUnknownModel` was called. */
  onMissingUsage?(model: string): void;
  /** A call was not made for lack of money: tells where the budget went. Once, until a call is admitted again. */
  onUnaffordable?(text: string): void;
  /** In ms since some fixed moment. Absent: no times are measured. */
  elapsed?(): number;
}

export class Ledger implements BudgetPort {
  readonly #options: LedgerOptions;
  readonly #reservations = new Map<string, Reservation>();
  /** Counts what was done for the money. */
  readonly work: WorkStatistics;
  readonly #reportedModels = new Set<string>();
  readonly #byModel = Object.create(null) as Record<string, ModelUsage>;
  /** Called when a call that only this ledger knows of has begun or is booked. */
  onUnrecorded?: () => void;
  #totalUsd: number;
  #spentUsd = 0;
  /** Charged for calls whose end was never seen. */
  #heldUsd = 0;
  #tickets = 0;
  #refusal: { message: string; call?: UnaffordableCall } | undefined;
  #hasExplainedShortage = false;
  /** Price factor: an account's own default may keep every call within the US, which the first answer shows. */
  #priceFactor = 1;
  /** Resolves when a call ends, for callers that wait for room. */
  #budgetFreed: PromiseWithResolvers<void> | undefined;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.work = new WorkStatistics(() => options.elapsed?.() ?? 0);
    Object.assign(this.#byModel, copyJson(options.restored?.byModel ?? {}));
    this.#totalUsd = options.restored?.totalUsd ?? 0;
    for (const { model, usage, costUsd } of options.unbooked ?? [])
      this.#add(model, usage, costUsd ?? options.costOf(model, usage).usd);
  }

  /** Known cost, continued from a resumed transcript. Without amounts held for calls whose end was not seen. */
  get totalUsd(): number {
    return this.#totalUsd;
  }

  get modelUsage(): Record<string, ModelUsage> {
    return this.#byModel;
  }

  get remainingUsd(): number {
    const { maxBudgetUsd } = this.#options;
    if (maxBudgetUsd === undefined) return Infinity;
    return maxBudgetUsd - this.#spentUsd - this.#heldUsd - this.#reservedUsd;
  }

  get #reservedUsd(): number {
    let reserved = 0;
    for (const reservation of this.#reservations.values()) reserved += reservation.usd;
    return reserved;
  }

  /** Why the last call was not admitted; undefined if it was. */
  get refusal(): string | undefined {
    return this.#refusal?.message;
  }

  /** That call, if it was too expensive. */
  get unaffordableCall(): UnaffordableCall | undefined {
    return this.#refusal?.call;
  }

  snapshot(): LedgerSnapshot {
    const known = { totalUsd: this.#totalUsd, byModel: copyJson(this.#byModel) };
    const open = [...this.#reservations.values()].flatMap(({ openCall }) => openCall ?? []);
    return open.length > 0 ? { ...known, open } : known;
  }

  /** Nothing is awaited between measuring the remainder and reserving from it, so parallel calls cannot take the same dollar. */
  admit(request: AdmissionRequest): Admission | Promise<Admission> {
    const { maxBudgetUsd } = this.#options;
    if (request.spare === true) return this.#admitSpare(request);
    if (maxBudgetUsd === undefined) return this.#reserve(request.model, 0, request.maxTokens, false);
    return this.#admitWithin(maxBudgetUsd, request);
  }

  async #admitWithin(maxBudgetUsd: number, request: AdmissionRequest): Promise<Admission> {
    const prices = this.#pricesOf(request);
    if (prices === undefined) {
      return this.#refuse(
        `${request.model} has no known price, so it cannot be held to a budget. Set its prices in settings, or leave out the budget.`,
      );
    }
    const requestBytes = textBytes(request);
    const mediaTokens = request.mediaTokens();
    let bound = this.#boundOf(prices, requestBytes + mediaTokens);
    if (this.remainingUsd < bound.inputUsd + request.maxTokens * bound.outputUsdPerToken) {
      const counted = await request.countTokens?.();
      if (counted !== undefined && isPlausibleCount(request, counted))
        bound = this.#boundOf(prices, tokenBoundFromCount(counted, request, mediaTokens));
    }
    const affordable = Math.floor((this.remainingUsd - bound.inputUsd) / bound.outputUsdPerToken);
    const maxTokens = Math.min(request.maxTokens, affordable);
    const leastUsd = bound.inputUsd + Math.min(minUsefulAnswerTokens, request.maxTokens) * bound.outputUsdPerToken;
    const refusal = `Reached maximum budget ($${maxBudgetUsd})`;
    // Calls under way mostly cost far less than is reserved for them.
    const mayBeFreed = this.#reservedUsd > 0 && leastUsd <= this.remainingUsd + this.#reservedUsd;
    if (request.patient === true && maxTokens < request.maxTokens && mayBeFreed) {
      this.#budgetFreed ??= Promise.withResolvers();
      return { admitted: false, message: refusal, freed: this.#budgetFreed.promise };
    }
    if (!(maxTokens >= Math.min(minUsefulAnswerTokens, request.maxTokens))) {
      this.#explainShortage(maxBudgetUsd, leastUsd);
      const requestTokens = requestBytes + mediaTokens;
      return this.#refuse(refusal, { model: request.model, leastUsd, inputUsd: bound.inputUsd, requestTokens });
    }
    return this.#reserve(
      request.model,
      bound.inputUsd + maxTokens * bound.outputUsdPerToken,
      maxTokens,
      maxTokens < request.maxTokens,
    );
  }

  /** Admits the full amount or nothing. Does not set `refusal`, which is about calls that a run waits for. */
  #admitSpare(request: AdmissionRequest): Admission {
    let usd = 0;
    if (this.#options.maxBudgetUsd !== undefined) {
      const prices = this.#pricesOf(request);
      const bound =
        prices === undefined ? undefined : this.#boundOf(prices, textBytes(request) + request.mediaTokens());
      usd = bound === undefined ? Infinity : bound.inputUsd + request.maxTokens * bound.outputUsdPerToken;
      if (!(usd <= this.remainingUsd * maxSpareShare))
        return { admitted: false, message: "The budget cannot spare this much." };
    }
    const ticket = `call_${++this.#tickets}`;
    this.#reservations.set(ticket, { model: request.model, usd, startedAt: this.work.now() });
    return { admitted: true, ticket, maxTokens: request.maxTokens, lowered: false };
  }

  begun(ticket: string, usage: Usage, messageId?: string): void {
    const reservation = this.#reservations.get(ticket);
    if (reservation === undefined) return;
    const { model } = reservation;
    reservation.openCall = messageId === undefined ? { model, usage } : { model, usage, messageId };
    if (messageId === undefined) this.onUnrecorded?.();
  }

  /** Books the real cost. A call whose bill was never seen (cut off, or its server counts nothing) stays charged at its reservation. */
  settle(ticket: string, outcome: Settlement): number {
    const reservation = this.#reservations.get(ticket);
    this.#reservations.delete(ticket);
    const usd = this.#charge(reservation, outcome);
    if (reservation?.openCall !== undefined && reservation.openCall.messageId === undefined) this.onUnrecorded?.();
    return usd;
  }

  #charge(reservation: Reservation | undefined, outcome: Settlement): number {
    if (reservation !== undefined) this.work.addModelCall(reservation.startedAt);
    this.#budgetFreed?.resolve();
    this.#budgetFreed = undefined;
    if (reservation === undefined || "notBilled" in outcome) return 0;
    if ("unknown" in outcome) {
      this.#heldUsd += reservation.usd;
      return 0;
    }
    const usd = this.#book(reservation.model, outcome.usage);
    // A server that counts nothing of a request or of its answer has sent no bill.
    const isCounted = totalInputTokens(outcome.usage) > 0 && outcome.outputUntold !== true;
    if (outcome.final && !isCounted) this.#markUsageMissing(reservation.model);
    if (!outcome.final || !isCounted) this.#heldUsd += Math.max(0, reservation.usd - usd);
    return usd;
  }

  #explainShortage(maxBudgetUsd: number, leastUsd: number): void {
    if (this.#hasExplainedShortage) return;
    this.#hasExplainedShortage = true;
    const parts = [
      `${formatDollars(this.#spentUsd)} is spent`,
      this.#heldUsd > 0 ? `${formatDollars(this.#heldUsd)} is held for calls whose bill was not told` : "",
      this.#reservedUsd > 0 ? `${formatDollars(this.#reservedUsd)} is reserved for calls under way` : "",
    ].filter((part) => part !== "");
    const text = `The next call can cost ${formatDollars(leastUsd)}. Of the budget of $${maxBudgetUsd}, ${parts.join(", ")}.`;
    this.#options.onUnaffordable?.(text);
  }

  #refuse(message: string, call?: UnaffordableCall): Admission {
    this.#refusal = { message, call };
    return { admitted: false, message };
  }

  #reserve(model: string, usd: number, maxTokens: number, lowered: boolean): Admission {
    const ticket = `call_${++this.#tickets}`;
    this.#refusal = undefined;
    this.#hasExplainedShortage = false;
    this.#reservations.set(ticket, { model, usd, startedAt: this.work.now() });
    return { admitted: true, ticket, maxTokens, lowered };
  }

  #pricesOf({ model, speed }: AdmissionRequest): readonly PriceTier[] | undefined {
    const { prices, fastPrices } = this.#options.info(model);
    return speed === "fast" ? (fastPrices ?? prices) : prices;
  }

  #boundOf(prices: readonly PriceTier[], tokens: number): CallCostBound {
    return callCostBound(prices, tokens, this.#options.cacheTtl, this.#priceFactor);
  }

  #book(model: string, usage: Usage): number {
    const { usd, known } = this.#options.costOf(model, usage);
    if (!known && !this.#reportedModels.has(model)) {
      this.#reportedModels.add(model);
      this.#options.onUnknownModel(model);
    }
    const entry = this.#add(model, usage, usd);
    if (!known) entry.costBasis = "unknown";
    this.#spentUsd += usd;
    if (usage.inferenceGeo === "us") this.#priceFactor = usFactor;
    return usd;
  }

  #markUsageMissing(model: string): void {
    const entry = this.#byModel[model];
    if (entry !== undefined) entry.costBasis = "unknown";
    if (this.#reportedModels.has(model)) return;
    this.#reportedModels.add(model);
    this.#options.onMissingUsage?.(model);
  }

  #add(model: string, usage: Usage, usd: number): ModelUsage {
    const entry = (this.#byModel[model] ??= emptyModelUsage(this.#options.info(model)));
    entry.inputTokens += usage.inputTokens;
    entry.outputTokens += usage.outputTokens;
    entry.cacheReadInputTokens += usage.cacheReadInputTokens;
    entry.cacheCreationInputTokens += usage.cacheCreationInputTokens;
    entry.webSearchRequests += usage.webSearchRequests ?? 0;
    entry.costUSD += usd;
    this.#totalUsd += usd;
    return entry;
  }
}

function emptyModelUsage(info: ModelInfo): ModelUsage {
  return {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
    webSearchRequests: 0,
    costUSD: 0,
    contextWindow: info.contextWindow,
    maxOutputTokens: info.maxOutputTokens,
  };
}
