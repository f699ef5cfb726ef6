/** Maps what the user asks of a model to what the model accepts, and explains each difference in a sentence. Never leads to a 400. */
import type { Effort, ThinkingSetting } from "../protocol/model.ts";
import { effortParameter, allowsThinkingOff } from "./anthropic/thinking.ts";
import type { CatalogEntry } from "./catalog.ts";

export interface RequestedSettings {
  thinking: ThinkingSetting;
  effort?: Effort;
  taskBudget?: { total: number };
  speed?: "fast";
}

/** The thinking setting that is sent for the requested one: the same for all requests of a turn, whichever component makes them. */
export function effectiveThinking(
  entry: CatalogEntry,
  thinking: ThinkingSetting,
  effort: Effort | undefined,
): ThinkingSetting {
  return thinking.type === "disabled" && !canTurnThinkingOff(entry, effort) ? { type: "adaptive" } : thinking;
}

function canTurnThinkingOff(entry: CatalogEntry, effort: Effort | undefined): boolean {
  return entry.thinking !== "adaptive_always" && allowsThinkingOff(entry, effort);
}

/** One sentence for each setting that is not sent as requested. Settings for an undescribed model are sent unchanged. */
export function settingRemarks(entry: CatalogEntry, settings: RequestedSettings): string[] {
  const remarks = [thinkingRemark(entry, settings), effortRemark(entry, settings.effort)];
  if (settings.taskBudget !== undefined && !entry.taskBudget)
    remarks.push(`${entry.id} does not support task budgets: the request is sent without one.`);
  if (settings.speed === "fast" && entry.fastPrices === undefined)
    remarks.push(`${entry.id} has no fast mode: it answers at its usual speed and price.`);
  return remarks.filter((remark) => remark !== undefined);
}

function thinkingRemark(entry: CatalogEntry, { thinking, effort }: RequestedSettings): string | undefined {
  const { id } = entry;
  if (!entry.known) return undefined;
  if (thinking.type === "disabled" && entry.thinking === "adaptive_always")
    return `${id} always thinks: its thinking cannot be turned off. A lower effort makes it think less.`;
  if (thinking.type === "disabled" && !canTurnThinkingOff(entry, effort))
    return `${id} always thinks at effort ${effort ?? entry.defaultEffort ?? "high"}: its thinking can only be turned off up to effort ${entry.thinkingOffUpTo ?? "high"}.`;
  if (
    thinking.type === "enabled" &&
    (entry.thinking === "adaptive_always" || entry.thinking === "adaptive_or_disabled")
  )
    return `${id} decides for itself how much it thinks: the budget of ${thinking.budgetTokens} tokens is not sent. The effort says how thorough it is.`;
  if (thinking.type === "adaptive" && entry.thinking === "enabled")
    return `${id} only thinks within a token budget: without one (maxThinkingTokens) it does not think.`;
  return undefined;
}

function effortRemark(entry: CatalogEntry, effort: Effort | undefined): string | undefined {
  if (effort === undefined || !entry.known) return undefined;
  const sent = effortParameter(entry, effort);
  if (sent === effort) return undefined;
  if (sent === undefined) return `${entry.id} has no effort setting: ${effort} is not sent.`;
  return `${entry.id} has no effort ${effort}: ${sent} is used instead. It has ${entry.efforts.join(", ")}.`;
}
