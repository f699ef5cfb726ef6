// Every way round is counted: transitions against their limits, calls of the model against what explains them.
import type { SDKResultMessage } from "../../src/protocol/sdk.ts";
import type { RequestSeen } from "./book.ts";
import type { Seat } from "./seat.ts";
import type { TurnSeen } from "./watcher.ts";

interface Step {
  reason: string;
  turnCount: number;
}

export function checkCounts(seat: Seat, turn: TurnSeen, result: SDKResultMessage | null): void {
  const { plan } = seat.world;
  const steps = turn.messages.flatMap((message): Step[] =>
    message.type === "system" && message.subtype === "transition"
      ? [{ reason: message.transition.reason, turnCount: message.turn_count }]
      : [],
  );
  const turns = steps.filter(({ reason }) => reason === "next_turn").length;
  if (turns > plan.maxTurns - 1)
    seat.addProblem("law 4", `${turns} turns after the first, allowed are ${plan.maxTurns} in all`);
  if (result !== null && !seat.isDiskBroken && result.num_turns !== turns + 1)
    seat.addProblem("§5", `num_turns ${result.num_turns} after ${turns} next_turn`);
  checkContinueLimits(seat, steps);
  let expected = 1;
  for (const { reason, turnCount } of steps) {
    if (reason === "next_turn") expected++;
    if (turnCount !== expected) seat.addProblem("§5", `turnCount ${turnCount} at ${reason}, expected ${expected}`);
  }
  checkModelCalls(seat, turn, steps.length);
}

/** The guards of each reason, from one `next_turn` to the next. */
function checkContinueLimits(seat: Seat, steps: readonly Step[]): void {
  const { plan } = seat.world;
  const cap = Math.max(12, plan.stopHookBlocks + 4);
  let inARow = 0;
  let counts = new Map<string, number>();
  let blocks = 0;
  steps.forEach(({ reason }, at) => {
    if (reason === "next_turn") {
      inARow = 0;
      blocks = 0;
      counts = new Map();
      return;
    }
    inARow++;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
    // A hook that blocks resets the counts of a truncation, but not that of compactions.
    if (reason === "stop_hook_blocking") {
      blocks++;
      counts.delete("max_output_tokens_recovery");
      counts.delete("max_output_tokens_escalate");
    }
    // A nudge that brought work resets the count.
    if (reason === "token_budget_continuation") {
      inARow = 0;
      blocks = 0;
    }
    const limits: Record<string, number> = {
      reactive_compact_retry: 1,
      max_output_tokens_escalate: 1,
      max_output_tokens_recovery: 3,
    };
    const limit = limits[reason];
    if (limit !== undefined && counts.get(reason)! > limit)
      seat.addProblem("law 4", `${counts.get(reason)} times ${reason} without a turn in between`);
    if (blocks > plan.stopHookBlocks)
      seat.addProblem("law 4", `${blocks} blocks of stop hooks, allowed are ${plan.stopHookBlocks}`);
    if (inARow > cap) seat.addProblem("law 4", `${inARow} continues in a row`);
    if (reason === "collapse_drain_retry" && steps[at - 1]?.reason === reason)
      seat.addProblem("law 5", "two drains in a row");
  });
}

/** Every call beyond the first of an iteration has a reason that was told. */
function checkModelCalls(seat: Seat, turn: TurnSeen, steps: number): void {
  const turnRequests = seat.requests.filter((request) => request.turn === turn.number);
  const main = turnRequests.filter(({ isSummary }) => !isSummary).length;
  const shown = (test: (subtype: string, tag?: string) => boolean): number =>
    turn.messages.filter(
      (message) => message.type === "system" && test(message.subtype, "tag" in message ? message.tag : undefined),
    ).length;
  const retries = shown((subtype) => subtype === "api_retry");
  const lines = seat.transcript.lines.slice(turn.firstLine);
  const named = lines.filter(
    ({ message }) => message?.name === "model_fallback" || message?.name === "thinking_repaired",
  ).length;
  const pauses = lines.filter(
    ({ message }) => message?.type === "response_end" && message["stopReason"] === "pause_turn",
  ).length;
  if (!seat.isDiskBroken && main > 1 + steps + retries + named + pauses)
    seat.addProblem(
      "law 4",
      `${main} calls of the model for ${1 + steps} iterations, ${retries} retries, ${named} switches and repairs, ${pauses} pauses`,
    );
  const { plan } = seat.world;
  // Whatever the reasons: no turn asks more often than its limits allow.
  const attempts = (1 + plan.maxRetries) * (1 + plan.fallbacks.length) + 1 + 11 * (1 + plan.maxRetries);
  const iterations =
    plan.maxTurns * (1 + Math.max(12, plan.stopHookBlocks + 4)) +
    (plan.tokenBudget === undefined ? 0 : plan.tokenBudget / 100);
  if (main > attempts * iterations) seat.addProblem("law 4", `${main} calls of the model in one user turn`);
  checkSummaryCalls(seat, turnRequests, steps);
  const most = (1 + plan.maxRetries) * (1 + steps + named + pauses);
  if (retries > most) seat.addProblem("§12", `${retries} retries, allowed are ${most}`);
}

/** Agents are summarised in iterations of their own: as many as they ask, and for each one that came to no question. */
function checkSummaryCalls(seat: Seat, summaryRequests: readonly RequestSeen[], steps: number): void {
  const agents = summaryRequests.filter(({ agent }) => agent !== null);
  const below = agents.filter(({ wantsSummary }) => wantsSummary).length;
  const summaries = summaryRequests.filter(({ wantsSummary }) => wantsSummary).length - below;
  if (summaries > 12 * (1 + steps) + 12) seat.addProblem("law 4", `${summaries} calls for summaries in one user turn`);
  const iterations = agents.length - below + seat.world.book.agents.size;
  if (below > 12 * iterations + 12) seat.addProblem("law 4", `${below} calls for summaries of agents in one user turn`);
}
