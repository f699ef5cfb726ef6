/** The session's budget for callers whose answers are not in the session's own transcript, such as agents and forks. */
import type { BudgetPort } from "../../protocol/money.ts";

/** For an agent, the budget without message ids. */
export function budgetForAgent(agentRun: object | undefined, budget: BudgetPort): BudgetPort {
  return agentRun === undefined ? budget : withoutMessageIds(budget);
}

export function withoutMessageIds(budget: BudgetPort): BudgetPort {
  return {
    admit: (request) => budget.admit(request),
    begun: (ticket, usage) => budget.begun?.(ticket, usage),
    settle: (ticket, outcome) => budget.settle(ticket, outcome),
  };
}
