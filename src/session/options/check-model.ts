/** Checks of the options about the model. */
import { efforts } from "../../protocol/effort.ts";
import type { Effort } from "../../protocol/model.ts";
import { checkNames, refuseIf } from "./check-arguments.ts";
import type { EngineOptions } from "./options.ts";

const thinkingTypes = ["auto", "adaptive", "enabled", "disabled"];
/** The API's minimum. */
const minTaskBudget = 20_000;

/** Throws `UsageError`. */
export function checkEffort(effort: Effort): void {
  refuseIf(!efforts.includes(effort), `There is no effort ${effort}: there are ${efforts.join(", ")}.`);
}

/** Throws `UsageError`. */
export function checkThinking(thinking: NonNullable<EngineOptions["thinking"]>): void {
  refuseIf(
    !thinkingTypes.includes(thinking.type),
    `There is no thinking type ${String(thinking.type)}: there are ${thinkingTypes.join(", ")}.`,
  );
  refuseIf(
    "display" in thinking && !["summarized", "omitted", undefined].includes(thinking.display),
    "thinking.display must be summarized or omitted.",
  );
  checkNames(thinking, ["type", "budgetTokens", "display"], "thinking");
  const { budgetTokens } = thinking.type === "enabled" ? thinking : {};
  refuseIf(
    budgetTokens !== undefined && !isWholeNumber(budgetTokens, 1_024),
    "thinking.budgetTokens must be a whole number of at least 1024 tokens.",
  );
}

/** Throws `UsageError`. */
export function checkTaskBudget({ total }: NonNullable<EngineOptions["taskBudget"]>): void {
  refuseIf(
    !isWholeNumber(total, minTaskBudget),
    `taskBudget.total must be a whole number of at least ${minTaskBudget} tokens.`,
  );
}

export function isWholeNumber(value: number, minimum: number): boolean {
  return Number.isSafeInteger(value) && value >= minimum;
}
