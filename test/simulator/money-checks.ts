// The server's bill against the engine's ledger: never over the budget, and never a figure that the other side does not have.
import type { SDKResultMessage } from "../../src/protocol/sdk.ts";
import type { RequestRecord } from "../../src/testing/index.ts";
import type { RequestSeen } from "./book.ts";
import { maxCallUsd } from "./prices.ts";
import type { Seat } from "./seat.ts";
import type { TurnSeen } from "./watcher.ts";

const tolerance = 1e-9;
/** The dearest output token there is here, USD. */
const maxTokenUsd = 60 / 1e6;

function billedUsd(records: readonly (RequestRecord | null)[]): number {
  return records.reduce((sum, record) => sum + (record?.isBilled === true ? (record.costUsd ?? 0) : 0), 0);
}

/** A refusal before anything was said costs nothing, and reports what it would have. */
function isFree(record: RequestRecord | null): boolean {
  return record?.isBilled === false && record.stopReason === "refusal";
}

/** As a call reaches the server: its longest answer is paid for by the rest of the budget, whatever was asked before it. */
export function checkBudgetCovers(seat: Seat, call: RequestSeen): void {
  const { plan } = seat.world;
  if (plan.maxBudgetUsd === undefined) return;
  let mostUsd = maxCallUsd(plan, call.model, call.maxTokens, call.record);
  for (const { record, model, maxTokens, isPriced } of seat.requests) {
    if (record === call.record || record === null || record.status >= 400) continue;
    // What was cut stays charged as it was reserved: nobody knows its bill.
    mostUsd +=
      record.outcome === "complete" || isPriced ? billedUsd([record]) : maxCallUsd(plan, model, maxTokens, record);
  }
  if (mostUsd > plan.maxBudgetUsd + tolerance)
    seat.addProblem(
      "money",
      `${call.maxTokens} tokens of output may make the bill $${mostUsd} of $${plan.maxBudgetUsd}`,
    );
}

export function checkTurnMoney(seat: Seat, turn: TurnSeen, result: SDKResultMessage): void {
  const records = seat.requests.map(({ record }) => record);
  const bill = billedUsd(records);
  const known = seat.engine.getCost().totalUsd - seat.restoredUsd;
  const { maxBudgetUsd } = seat.world.plan;
  if (maxBudgetUsd !== undefined && bill > maxBudgetUsd + tolerance)
    seat.addProblem("money", `the bill is $${bill}, the budget was $${maxBudgetUsd}`);
  // A server tells of one token with the first event, and bills those that were streamed.
  const free = records.some(isFree);
  const cuts = records.filter((record) => record?.isBilled === true && record.outcome !== "complete").length;
  if (!free && known > bill + tolerance + cuts * maxTokenUsd)
    seat.addProblem("money", `the ledger says $${known}, the bill $${bill}`);
  const isWhole = records.every((record) => record !== null && (record.outcome === "complete" || !record.isBilled));
  const isBroken = seat.process.mount.faultCount > 0;
  if (
    !free &&
    !isBroken &&
    isWhole &&
    seat.sideQuestions.size === 0 &&
    turn.cancel === null &&
    !seat.hasBeenCancelled &&
    Math.abs(known - bill) > tolerance
  )
    seat.addProblem("money", `every answer was whole, the ledger says $${known}, the bill $${bill}`);
  // Work in the background may be paid for while the reader looks at the result.
  const later = seat.engine.getCost().totalUsd - result.total_cost_usd;
  const isBackground = seat.requests.some(({ isSummary }) => isSummary);
  if (later < -tolerance || (later > tolerance && !isBackground))
    seat.addProblem("money", `the result says $${result.total_cost_usd}`);
  const byModel = Object.values(result.modelUsage).reduce((sum, { costUSD }) => sum + costUSD, 0);
  if (Math.abs(byModel - result.total_cost_usd) > tolerance)
    seat.addProblem("money", `the models together cost $${byModel}, the total is $${result.total_cost_usd}`);
  if (result.terminal_reason === "budget_exhausted") checkBudgetUsed(seat, bill);
  checkUsage(seat, turn, result);
}

/** A call that the rest of the budget covers by far is made: a token has at least one byte, a useful answer 1,024 tokens. */
function checkBudgetUsed(seat: Seat, bill: number): void {
  const { maxBudgetUsd = 0, prices, model } = seat.world.plan;
  // Without the end of a call its price stays reserved, even if the server billed nothing.
  const isSeen = seat.requests.every(
    ({ record }) => record !== null && (record.outcome === "complete" || record.status >= 400),
  );
  // The call that was not made had what tools brought last.
  const recorded = JSON.stringify(seat.transcript.conversation);
  const hasMedia = recorded.includes('"image"');
  const last = seat.requests.findLast(({ isSummary }) => !isSummary);
  // What a question beside the work may cost was set aside.
  if (seat.sideQuestions.size > 0 || seat.requests.some(({ isAside }) => isAside)) return;
  if (!isSeen || hasMedia || last === undefined || !model.startsWith("sim-")) return;
  // An answer cut at the length that the budget left is its end, however little was said.
  if (last.record?.stopReason === "max_tokens") return;
  const call = ((last.body.length + recorded.length + 60_000) * prices.input * 2 + 1_024 * prices.output) / 1e6;
  if (maxBudgetUsd - bill > call)
    seat.addProblem("money", `exhausted with $${maxBudgetUsd - bill} left, a call costs at most $${call}`);
}

/** The usage of a turn is that of its answers, without those of summaries. */
function checkUsage(seat: Seat, turn: TurnSeen, result: SDKResultMessage): void {
  const main = seat.requests
    .filter((request) => request.turn === turn.number && !request.isSummary)
    .map(({ record }) => record);
  if (
    turn.cancel !== null ||
    seat.isDiskBroken ||
    main.some(isFree) ||
    !main.every((record) => record !== null && (record.outcome === "complete" || !record.isBilled))
  )
    return;
  const sum = (
    field: "input_tokens" | "output_tokens" | "cache_read_input_tokens" | "cache_creation_input_tokens",
  ): number =>
    main.reduce((all, record) => all + (record?.outcome === "complete" ? Number(record.usage?.[field] ?? 0) : 0), 0);
  for (const field of [
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
  ] as const)
    if (result.usage[field] !== sum(field))
      seat.addProblem("money", `the result's ${field} are ${result.usage[field]}, the server's ${sum(field)}`);
}

/** A resumed ledger goes on from what was recorded, and knows no dollar that was not billed. */
export function checkRestored(seat: Seat): void {
  const total = seat.engine.getCost().totalUsd;
  const ends = seat.transcript.lines.reduce(
    (sum, { message }) => sum + (message?.type === "response_end" ? (message.costUsd ?? 0) : 0),
    0,
  );
  const bill = inheritedUsd(seat) + sessionBillUsd(seat, seat.session);
  if (total + tolerance < ends) seat.addProblem("money", `resumed at $${total}, recorded are $${ends}`);
  const free = seat.world.book.requests.some(({ record }) => isFree(record));
  if (!free && total > bill + tolerance + maxTokenUsd * seat.world.book.requests.length)
    seat.addProblem("money", `resumed at $${total}, billed were $${bill}`);
}

function sessionBillUsd(seat: Seat, session: string): number {
  return billedUsd(seat.world.book.requests.filter((each) => each.session === session).map(({ record }) => record));
}

/** A copy goes on from the bill of what it is a copy of, also where the process died before it was told of it. */
function inheritedUsd(seat: Seat): number {
  const { inherited } = seat.world.book;
  const known = inherited.get(seat.session);
  const origin = seat.transcript.lines[0]?.data?.["forkedFrom"] as { sessionId: string } | undefined;
  if (known !== undefined || origin === undefined) return known ?? 0;
  const original = `${seat.tag} ${origin.sessionId}`;
  return (inherited.get(original) ?? 0) + sessionBillUsd(seat, original);
}

export function checkBill(seat: Seat): void {
  const bill = billedUsd(seat.requests.map(({ record }) => record));
  const { maxBudgetUsd } = seat.world.plan;
  if (maxBudgetUsd !== undefined && bill > maxBudgetUsd + tolerance)
    seat.addProblem("money", `the bill of a process is $${bill}, the budget was $${maxBudgetUsd}`);
}
