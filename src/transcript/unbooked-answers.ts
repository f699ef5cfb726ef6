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
  #ended: PaidAnswer[] = [];
  readonly #begun = new Map<string, PaidAnswer>();

  take({ message, soFar }: MessageRecord): void {
    if (message.type === "assistant" && soFar !== undefined)
      this.#begun.set(message.messageId, { model: message.model, usage: soFar });
    if (message.type !== "response_end") return;
    this.#begun.delete(message.messageId);
    this.#ended.push(message);
  }

  /** The ledger now includes everything, except for the calls that it lists as open. */
  restartFrom(ledger: unknown): void {
    this.#ended = [];
    this.#begun.clear();
    for (const [at, { messageId = String(at), ...begun }] of openLedgerCalls(ledger).entries())
      this.#begun.set(messageId, begun);
  }

  list(): PaidAnswer[] {
    return [...this.#ended, ...this.#begun.values()];
  }
}
