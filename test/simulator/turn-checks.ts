// What must hold of a user turn once it is over, by what its reader was shown and what was recorded.
import type { SDKMessage, SDKResultMessage } from "../../src/protocol/sdk.ts";
import type { Seat } from "./seat.ts";
import type { TurnSeen } from "./watcher.ts";
import { checkAnswers } from "./answer-checks.ts";
import { checkRewrites } from "./history-checks.ts";
import { checkCounts } from "./count-checks.ts";
import { checkHooks } from "./hook-checks.ts";
import { checkTurnMoney } from "./money-checks.ts";

export function checkTurn(seat: Seat, turn: TurnSeen): void {
  const result = checkedResult(seat, turn);
  for (const message of turn.messages) countTransition(seat, message);
  countRecords(seat, turn);
  checkShown(seat, turn);
  checkCalls(seat, turn, result);
  checkCancel(seat, turn, result);
  checkCounts(seat, turn, result);
  checkHooks(seat, turn, result);
  if (result === null) return;
  checkReason(seat, turn, result);
  checkTurnMoney(seat, turn, result);
  checkAnswers(seat, turn, result);
  checkRewrites(seat, turn.firstLine);
}

function countTransition({ world }: Seat, message: SDKMessage): void {
  if (message.type === "system" && message.subtype === "transition") world.count("continue", message.transition.reason);
  else if (message.type === "tool_use_summary") world.count("seen", message.type);
}

/** What the layers and the repairs left on record. */
function countRecords(seat: Seat, { firstLine }: TurnSeen): void {
  for (const { type, message } of seat.transcript.lines.slice(firstLine)) {
    if (type === "notice" && message?.name !== undefined) seat.world.count("notice", message.name);
    else if (type === "compact_boundary")
      seat.world.count("record", `compact_boundary ${String(message?.["trigger"])}`);
    else if (message !== undefined) seat.world.count("record", type);
  }
}

const nameOfReason = (reason: string): string => (reason === "budget_exhausted" ? "max_budget_usd" : reason);

/** Init first, one result last; none for a reader that left, or a process that was told to end. */
function checkedResult(seat: Seat, turn: TurnSeen): SDKResultMessage | null {
  const results = turn.messages.filter((message) => message.type === "result");
  const expected = turn.hasLeft || turn.cancel?.cause === "terminate" ? 0 : 1;
  const [result] = results;
  // A person's answer and an end of the program at once: either may be first.
  // A reader that sits on a message while the session is closed is left behind.
  const isLeft = turn.isClosed && turn.heldMs > 0;
  const isOpen = turn.hasLeft || isLeft || (turn.wasStopped && turn.isTerminated);
  if (results.length > 1 || (results.length !== expected && !(isOpen && results.length <= 1)))
    seat.addProblem("law 3", `${results.length} results, ${expected} expected`);
  if (result !== undefined && turn.messages.at(-1) !== result)
    seat.addProblem("law 3", "something was shown after the result");
  const first = turn.messages[0];
  if (!turn.hasLeft && !(first?.type === "system" && first.subtype === "init"))
    seat.addProblem("law 3", "the first message is not init");
  if (result === undefined) return null;
  seat.world.count("terminal", nameOfReason(result.terminal_reason));
  return result;
}

const subtypes: Record<SDKResultMessage["terminal_reason"], SDKResultMessage["subtype"]> = {
  completed: "success",
  stop_hook_prevented: "success",
  hook_stopped: "success",
  tool_deferred: "success",
  tool_deferred_unavailable: "error_during_execution",
  max_turns: "error_max_turns",
  budget_exhausted: "error_max_budget_usd",
  aborted_streaming: "error_during_execution",
  aborted_tools: "error_during_execution",
  model_error: "error_during_execution",
  prompt_too_long: "error_during_execution",
  blocking_limit: "error_during_execution",
  image_error: "error_during_execution",
  structured_output_retry_exhausted: "error_max_structured_output_retries",
};

const errorReasons = ["model_error", "prompt_too_long", "blocking_limit", "image_error"];

function checkReason(seat: Seat, turn: TurnSeen, result: SDKResultMessage): void {
  const reason = result.terminal_reason;
  if (result.subtype !== subtypes[reason]) seat.addProblem("result", `${reason} is the subtype ${result.subtype}`);
  if (result.is_error !== (result.subtype !== "success"))
    seat.addProblem("result", `${reason} with is_error ${result.is_error}`);
  const { plan } = seat.world;
  const cancelled = turn.cancel !== null || turn.wasStopped;
  if (reason.startsWith("aborted_") && !cancelled) seat.addProblem("terminal", `${reason} and nobody has cancelled`);
  if (reason === "max_turns" && result.num_turns < plan.maxTurns)
    seat.addProblem("terminal", `max_turns after ${result.num_turns} of ${plan.maxTurns}`);
  if (reason === "budget_exhausted" && plan.maxBudgetUsd === undefined)
    seat.addProblem("terminal", "no budget, and it is exhausted");
  // Full again at once after each compaction: then none is made any more.
  const hasCompacted = seat.transcript.replaced.size > 0;
  if (reason === "blocking_limit" && plan.compact && plan.layersOff.length === 0 && !hasCompacted)
    seat.addProblem("terminal", "the blocking limit although layers may shrink");
  if (reason === "model_error" && "errors" in result && result.errors[0]?.includes("failed unexpectedly") === true)
    seat.addProblem("defect", result.errors[0]);
  const errors = turn.messages.filter((message) => message.type === "assistant" && message.error !== undefined);
  if (errors.length > 0 && !errorReasons.includes(reason))
    seat.addProblem("§9", `an error was shown and the turn ended ${reason}`);
  if (errors.length > 1) seat.addProblem("§9", `${errors.length} errors were shown`);
  if (errorReasons.includes(reason) && errors.length === 0 && !seat.isDiskBroken && !hasNotStarted(turn))
    seat.addProblem("§9", `${reason} and no error was shown`);
  const last = turn.messages.findLast((message) => message.type === "assistant" && message.error === undefined);
  const isTold = turn.messages.some(
    (message) => message.type === "system" && "tag" in message && message.tag === "empty_answer",
  );
  if (reason === "completed" && last === undefined && !isTold)
    seat.addProblem("terminal", "completed without an answer");
}

/** The prompt was not taken, so the loop was not asked. */
function hasNotStarted({ messages }: TurnSeen): boolean {
  return !messages.some((message) => message.type === "system" && message.subtype === "status");
}

/** What is shown is recorded, under the same id and in the same words. */
function checkShown(seat: Seat, turn: TurnSeen): void {
  const { messages } = turn;
  if (seat.isDiskBroken) return;
  const { uuids, sources } = seat.transcript;
  for (const message of messages) {
    const isRecord =
      message.type === "assistant" ||
      message.type === "user" ||
      (message.type === "system" && ["transition", "tombstone", "compact_boundary"].includes(message.subtype));
    if (isRecord && message.uuid !== undefined && !uuids.has(message.uuid) && !sources.has(message.uuid))
      seat.addProblem("law 10", `${message.type} ${message.uuid} was shown and is not recorded`);
  }
  const recorded = new Map(seat.transcript.conversation.map((entry) => [entry.uuid, entry]));
  for (const message of messages) {
    if (message.type !== "assistant") continue;
    const entry = recorded.get(message.uuid);
    if (entry === undefined || JSON.stringify(entry.content) === JSON.stringify(message.message.content)) continue;
    if (!message.message.content.some(({ type }) => type.startsWith("server") || type.endsWith("_result")))
      seat.addProblem("law 10", `${message.uuid} was shown with other words than are recorded`);
  }
  const prompt = recorded.get(turn.promptUuid);
  if (prompt !== undefined && prompt.content?.[0]?.text !== turn.prompt)
    seat.addProblem("law 2", `the prompt is recorded as ${JSON.stringify(prompt.content)}`);
}

interface MessageBlock {
  type: string;
  id?: string;
  tool_use_id?: string;
}

function blocksOf(message: SDKMessage): MessageBlock[] {
  if (message.type !== "assistant" && message.type !== "user") return [];
  const { content } = message.message;
  return typeof content === "string" ? [] : (content as MessageBlock[]);
}

/** Each call that was shown has one result, and results come in the order of their calls. */
function checkCalls(seat: Seat, turn: TurnSeen, result: SDKResultMessage | null): void {
  const dropped = new Set(
    turn.messages.flatMap((message) =>
      message.type === "system" && message.subtype === "tombstone" ? message.retracted_message_uuids : [],
    ),
  );
  const calls = turn.messages
    .filter((message) => !dropped.has(message.uuid ?? ""))
    .flatMap(blocksOf)
    .filter(({ type }) => type === "tool_use")
    .map(({ id }) => id ?? "");
  const results = turn.messages
    .flatMap(blocksOf)
    .filter(({ type }) => type === "tool_result")
    .map(({ tool_use_id: id }) => id ?? "");
  const deferred = result?.deferred_tool_use?.id;
  const { deferredCalls } = seat.world.book;
  if (result !== null && !seat.isDiskBroken)
    for (const id of calls) {
      const count = results.filter((other) => other === id).length;
      if (count !== (id === deferred ? 0 : 1)) seat.addProblem("law 1", `${id} was shown with ${count} results`);
    }
  // One that was put off is the first of a later turn, even if the process died before its result named the call.
  calls.unshift(...results.filter((id) => deferredCalls.delete(id) || wasDeferredElsewhere(seat, id)));
  if (deferred !== undefined) deferredCalls.add(deferred);
  let place = -1;
  for (const id of results) {
    const at = calls.indexOf(id);
    if (at < 0) seat.addProblem("law 1", `a result of ${id}, which was not shown`);
    else if (at < place) seat.addProblem("§11", `the result of ${id} came out of order`);
    place = Math.max(place, at);
  }
}

function wasDeferredElsewhere({ world, process }: Seat, id: string): boolean {
  return world.book.hooks.some((hook) => hook.kind === "defer" && hook.toolUseId === id && hook.process !== process);
}

/** An engine may take this long to end what runs, ms. */
const maxCancelMs = 12_000;

function checkCancel(seat: Seat, turn: TurnSeen, result: SDKResultMessage | null): void {
  const { cancel } = turn;
  if (cancel === null) return;
  const took = seat.world.scheduler.elapsed - cancel.at - turn.heldMs;
  const isSteady =
    cancel.cause === "interrupt" && turn.calls.some((id) => seat.world.book.calls.get(id)?.tool === "Steady");
  if (took > maxCancelMs && !isSteady) seat.addProblem("§8", `the turn took ${took} ms to end after the cancel`);
  if (seat.isDiskBroken) return;
  const turnLines = seat.transcript.lines.slice(turn.firstLine);
  const since = seat.transcript.lines.slice(cancel.lines).map(({ type }) => type);
  // A decision is told in several records: what a reader sat on when the cancel came has an end. Questions beside it cost meanwhile.
  const isMidway = turn.heldMs > 0 && since.find((type) => type !== "attachment" && type !== "ledger") === "transition";
  const later = since.filter((type) => type === "transition").length;
  if (later > (isMidway ? 1 : 0)) seat.addProblem("law 6", `went on ${later} times after the cancel (${cancel.cause})`);
  const marks = turnLines.filter(({ message }) => message?.origin === "interruption").length;
  const isAborted = result?.terminal_reason.startsWith("aborted_") === true;
  if (marks > 1) seat.addProblem("law 7", `${marks} marks of one interruption`);
  if (isAborted && cancel.cause !== "interrupt" && marks === 0)
    seat.addProblem("law 7", "an aborted turn without its mark");
  if (cancel.cause === "interrupt" && marks > 0)
    seat.addProblem("law 7", "a mark although the next message says enough");
}
