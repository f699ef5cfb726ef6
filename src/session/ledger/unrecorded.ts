/** The session's budget for those whose answers do not stand in the session's own transcript, as agents and forks. */
import type { BudgetPort } from "../../protocol/money.ts";

/** Of an agent, where there is a seat. */
export function budgetOf(seat: object | undefined, budget: BudgetPort): BudgetPort {
  return seat === undefined ? budget : unrecorded(budget);
}

export function unrecorded(budget: BudgetPort): BudgetPort {
  return {
    admit: (request) => budget.admit(request),
    begun: (ticket, usage) => budget.begun?.(ticket, usage),
    settle: (ticket, outcome) => budget.settle(ticket, outcome),
  };
}
