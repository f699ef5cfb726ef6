/** Answers paid for since the ledger was last written, if the process died in the middle of a user turn. */
import type { Usage } from "../protocol/index.ts";
import { isRecord } from "../lib/is-record.ts";
import { isString } from "./predicates.ts";
import { isUsage } from "./check-message.ts";
import type { MessageRecord } from "./record.ts";

export interface PaidAnswer {
  model: string;
  usage: Usage;
  /** Absent for an answer that was cut off: only its usage at the beginning is known. */
  costUsd?: number;
}

function openLedgerCalls(ledger: unknown): (PaidAnswer & { messageId?: string })[] {
  const open = isRecord(ledger) && Array.isArray(ledger["open"]) ? ledger["open"] : [];
  return open.flatMap((each: unknown) => {
    if (!isRecord(each)) return [];
    const { model, usage, messageId } = each;
    if (!isString(model) || !isUsage(usage)) return [];
    return [{ model, usage, ...(isString(messageId) ? { messageId } : {}) }];
  });
}

export class UnbookedAnswers {
  #endedAnswers: PaidAnswer[] = [];
  readonly #begunAnswers = new Map<string, PaidAnswer>();

  addRecord({ message, soFar }: MessageRecord): void {
    if (message.type === "assistant" && soFar !== undefined)
      this.#begunAnswers.set(message.messageId, { model: message.model, usage: soFar });
    if (message.type !== "response_end") return;
    this.#begunAnswers.delete(message.messageId);
    this.#endedAnswers.push(message);
  }

  /** The ledger now includes everything, except for the calls that it lists as open. */
  restartFrom(ledger: unknown): void {
    this.#endedAnswers = [];
    this.#begunAnswers.clear();
    for (const [at, { messageId = String(at), ...openCall }] of openLedgerCalls(ledger).entries())
      this.#begunAnswers.set(messageId, openCall);
  }

  list(): PaidAnswer[] {
    return [...this.#endedAnswers, ...this.#begunAnswers.values()];
  }
}
