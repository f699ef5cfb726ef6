/** What a user asks of a model and it does not take: mapped to what it does take, and told in a sentence. Never a 400. */
import type { Effort, ThinkingSetting } from "../protocol/model.ts";
import { effortParameter, mayTurnOff } from "./anthropic/thinking.ts";
import type { CatalogEntry } from "./catalog.ts";

export interface Wishes {
  thinking: ThinkingSetting;
  effort?: Effort;
  taskBudget?: { total: number };
  speed?: "fast";
}

/** The thinking that stands for the wish: one setting for all requests of a turn, whoever makes them. */
export function thinkingTaken(
  entry: CatalogEntry,
  thinking: ThinkingSetting,
  effort: Effort | undefined,
): ThinkingSetting {
  return thinking.type === "disabled" && !canTurnOff(entry, effort) ? { type: "adaptive" } : thinking;
}

function canTurnOff(entry: CatalogEntry, effort: Effort | undefined): boolean {
  return entry.thinking !== "adaptive_always" && mayTurnOff(entry, effort);
}

/** A sentence for each wish that is not met as it was made. A model nobody described is asked as the user says. */
export function wishesNotMet(entry: CatalogEntry, wishes: Wishes): string[] {
  const told = [thinkingRemark(entry, wishes), effortRemark(entry, wishes.effort)];
  if (wishes.taskBudget !== undefined && !entry.taskBudget)
    told.push(`${entry.id} takes no task budget: it is asked without one.`);
  if (wishes.speed === "fast" && entry.fastPrices === undefined)
    told.push(`${entry.id} has no fast mode: it answers at its usual speed and price.`);
  return told.filter((remark) => remark !== undefined);
}

function thinkingRemark(entry: CatalogEntry, { thinking, effort }: Wishes): string | undefined {
  const { id } = entry;
  if (!entry.known) return undefined;
  if (thinking.type === "disabled" && entry.thinking === "adaptive_always")
    return `${id} always thinks: its thinking cannot be turned off. A lower effort makes it think less.`;
  if (thinking.type === "disabled" && !canTurnOff(entry, effort))
    return `${id} thinks at effort ${effort ?? entry.defaultEffort ?? "high"}: its thinking can be turned off up to effort ${entry.thinkingOffUpTo ?? "high"}.`;
  if (
    thinking.type === "enabled" &&
    (entry.thinking === "adaptive_always" || entry.thinking === "adaptive_or_disabled")
  )
    return `${id} decides for itself how much it thinks: the budget of ${thinking.budgetTokens} tokens is not sent. The effort says how thorough it is.`;
  if (thinking.type === "adaptive" && entry.thinking === "enabled")
    return `${id} thinks within a budget of tokens alone: without one (maxThinkingTokens) it does not think.`;
  return undefined;
}

function effortRemark(entry: CatalogEntry, effort: Effort | undefined): string | undefined {
  if (effort === undefined || !entry.known) return undefined;
  const sent = effortParameter(entry, effort);
  if (sent === effort) return undefined;
  if (sent === undefined) return `${entry.id} knows no effort: ${effort} is not sent.`;
  return `${entry.id} has no effort ${effort}: it is asked for ${sent}. It has ${entry.efforts.join(", ")}.`;
}
