/** The goal of a session: the model that judges it, where it is recorded, and what a resume restores. */
import { oneLine } from "../../lib/sanitize.ts";
import type { AgentTree } from "../agents/tree.ts";
import type { Facts } from "../store/facts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Store } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { Goals, type GoalParts } from "./goals.ts";
import type { GoalModel } from "./judge-goal.ts";

export interface GoalRooms extends Omit<GoalModel, "sessionId" | "clock"> {
  around: Pick<Surroundings, "clock" | "notice" | "settings">;
  store: Store;
  ledger: Ledger;
  facts: Facts;
  agents: Pick<AgentTree, "list">;
}

export function composeGoals({ around, store, ledger, facts, agents, ...judgeParts }: GoalRooms): Goals {
  const { clock, notice } = around;
  const refusal = (): string | undefined => {
    const { disableAllHooks, allowManagedHooksOnly } = around.settings;
    if (disableAllHooks === true) return "a goal works through a hook, and disableAllHooks is set.";
    return allowManagedHooksOnly === true ? "an administrator allows no hooks but their own." : undefined;
  };
  let judge: GoalParts["ask"] | undefined;
  const goals = new Goals(
    {
      clock,
      refusal,
      isAwaited: () => agents.list().some(({ isBackground, teammate }) => isBackground && teammate === undefined),
      spentTokens: () => spentTokensIn(ledger),
      record: (goal) => facts.put("goal", goal),
      async ask(...question) {
        const { createGoalJudge } = await import("./judge-goal.ts");
        judge ??= createGoalJudge({ ...judgeParts, clock, sessionId: store.sessionId });
        return await judge(...question);
      },
    },
    store.restored.goal,
  );
  if (goals.active !== undefined)
    notice(
      `This session has a goal, and the next prompt continues with it: ${oneLine(goals.active.condition, 200)}. "/goal clear" removes it.`,
    );
  return goals;
}

/** Without tokens read from a cache: they were counted when they were written. */
function spentTokensIn({ modelUsage }: Ledger): number {
  let sum = 0;
  for (const used of Object.values(modelUsage))
    sum += used.inputTokens + used.outputTokens + used.cacheCreationInputTokens;
  return sum;
}
