/** Checks of the limits that a host sets: of agents, and of the loop. */
import type { LoopLimits } from "../../loop/ports.ts";
import type { AgentLimits } from "./agent-limits.ts";
import { refuseIf } from "./check-arguments.ts";

const agentBounds = { depth: true, concurrent: true, count: true, turns: true } satisfies Record<
  keyof AgentLimits,
  true
>;

/** The smallest value of each limit. */
const loopBounds = {
  maxTurns: 1,
  tokenBudget: 1,
  outputTokensDefault: 1,
  outputTokensEscalated: 1,
  outputTokensRecoveries: 0,
  stopHookBlocks: 0,
  overloadsBeforeFallback: 1,
  pausedTurns: 0,
  toolConcurrency: 1,
  resultCharsPerMessage: 0,
  permissionMs: 0,
  hookMs: 0,
  turnEndMs: 0,
  toolMs: 0,
  compactionMs: 0,
  portMs: 0,
  modelSilenceMs: 0,
  settleMs: 0,
} satisfies Record<keyof LoopLimits, number>;

/** A misspelt limit would limit nothing. */
export function checkAgentLimits(limits: object): void {
  const names = Object.keys(agentBounds);
  const isBound = ([name, most]: [string, unknown]): boolean =>
    names.includes(name) && (most === undefined || (typeof most === "number" && most >= 0));
  refuseIf(
    !Object.entries(limits).every(isBound),
    `agentLimits takes the numbers ${names.join(", ")}, each at least 0.`,
  );
}

/** A limit of zero calls would let no call run. */
export function checkLoopLimits(limits: object): void {
  for (const [name, most] of Object.entries(limits) as [string, unknown][]) {
    const least = Object.hasOwn(loopBounds, name) ? loopBounds[name as keyof LoopLimits] : undefined;
    refuseIf(least === undefined, `limits has no ${name}; it has ${Object.keys(loopBounds).join(", ")}.`);
    const isBound = most === undefined || (typeof most === "number" && most >= Number(least));
    refuseIf(!isBound, `limits.${name} must be a number of at least ${least}.`);
  }
}
