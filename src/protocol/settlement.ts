/** Derives what is known of a call's bill from how the call ended. */
import type { ModelOutcome } from "./model.ts";
import type { Settlement } from "./money.ts";

export function settlementOf(outcome: ModelOutcome): Settlement {
  const { usage } = outcome;
  if (usage === undefined) return isNotBilled(outcome) ? { notBilled: true } : { unknown: true };
  if (!outcome.ok) return { usage, final: false };
  if (outcome.unbilled === true) return { notBilled: true };
  return outcome.outputUntold === true ? { usage, final: true, outputUntold: true } : { usage, final: true };
}

function isNotBilled(outcome: ModelOutcome): boolean {
  return !outcome.ok && (outcome.failure.neverSent === true || (outcome.failure.status ?? 0) >= 400);
}
