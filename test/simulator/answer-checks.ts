// Checks what a user turn reported of the model: its words, its end, and whether it was asked again if, and only if, it should be.
import type { SDKMessage, SDKResultMessage } from "../../src/protocol/sdk.ts";
import type { RequestSeen } from "./book.ts";
import { isSideQuestion, type Seat } from "./seat.ts";
import type { TurnSeen } from "./watcher.ts";

export function checkAnswers(seat: Seat, turn: TurnSeen, result: SDKResultMessage): void {
  const main = seat.requests.filter((request) => request.turn === turn.number && !request.isSummary);
  checkWords(seat, turn, result, main);
  checkDenials(seat, turn, result);
  checkWaitNotices(seat, turn);
  if (seat.isDiskBroken || turn.cancel !== null || turn.wasStopped) return;
  checkRetriesUsed(seat, turn, result, main);
  checkUselessRetries(seat, turn, main);
}

function textOf(message: SDKMessage): string {
  if (message.type !== "assistant") return "";
  return (message.message.content as { type: string; text?: string }[])
    .map((block) => (block.type === "text" ? (block.text ?? "") : ""))
    .join("");
}

function checkWords(seat: Seat, turn: TurnSeen, result: SDKResultMessage, main: readonly RequestSeen[]): void {
  const dropped = new Set(
    turn.messages.flatMap((message) =>
      message.type === "system" && message.subtype === "tombstone" ? message.retracted_message_uuids : [],
    ),
  );
  const kept = turn.messages.filter((message) => message.type === "assistant" && !dropped.has(message.uuid));
  const last = kept.at(-1);
  const isEmpty = turn.messages.some((message) => "tag" in message && message.tag === "empty_answer");
  if (
    result.subtype === "success" &&
    result.terminal_reason === "completed" &&
    last?.type === "assistant" &&
    !isEmpty
  ) {
    const lastAnswer = kept.filter((message) => message.type === "assistant" && message.message.id === last.message.id);
    const text = lastAnswer.map(textOf).join("");
    if (!result.result.endsWith(text))
      seat.addProblem("result", `the result ${JSON.stringify(result.result.slice(0, 80))} is not what was said last`);
  }
  const record = main.at(-1)?.record;
  if (
    result.terminal_reason === "completed" &&
    record?.outcome === "complete" &&
    record.stopReason !== result.stop_reason
  )
    seat.addProblem("result", `stop_reason ${result.stop_reason}, the model's was ${record.stopReason}`);
}

/** Checks that the result lists each refusal by a person, and no call that ran. */
function checkDenials(seat: Seat, turn: TurnSeen, result: SDKResultMessage): void {
  const reportedIds = new Set(result.permission_denials.map(({ tool_use_id: id }) => id));
  for (const { id, isChecked } of turn.refusals)
    if (!reportedIds.has(id) && isChecked && turn.cancel === null && !seat.isDiskBroken)
      seat.addProblem("permission", `the refusal of ${id} is not in the result`);
  for (const id of reportedIds)
    if (turn.calls.includes(id)) seat.addProblem("permission", `${id} ran, and the result says it was refused`);
}

const announcedEvents = new Set([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "UserPromptSubmit",
  "SessionStart",
  "Stop",
]);

/** Checks that a long wait is announced while it lasts. */
function checkWaitNotices(seat: Seat, turn: TurnSeen): void {
  if (turn.cancel !== null || turn.wasStopped || seat.isDiskBroken) return;
  const tags = turn.messages.flatMap((message) =>
    message.type === "system" && message.subtype === "informational" ? [message.content] : [],
  );
  for (const hook of seat.world.book.hooks) {
    if (
      hook.process !== seat.process ||
      hook.session !== seat.session ||
      hook.turn !== turn.number ||
      !announcedEvents.has(hook.event)
    )
      continue;
    // Hooks of a compaction are part of that wait, and hooks of a side question run beside the turn.
    if (hook.input["source"] === "compact" || isSideQuestion(hook.input)) continue;
    if (hook.settledAt === null || hook.settledAt - hook.at <= 200 || hook.wasEnded) continue;
    if (!tags.some((text) => text.startsWith("Waiting for hook") && text.includes(hook.event)))
      seat.addProblem("law 8", `nobody was told that a ${hook.event} hook is awaited`);
  }
  for (const { asked, settledAt } of turn.questions)
    if (
      settledAt !== null &&
      settledAt - asked > 200 &&
      !tags.some((text) => text.startsWith("Waiting for permission"))
    )
      seat.addProblem("law 8", "nobody was told that a person is awaited");
}

const transientFaults = new Set(["overloaded", "server_error", "unavailable", "conflict", "request_timeout"]);
const permanentFaults = new Set(["spend_limit", "unauthenticated", "billing", "forbidden", "refusal"]);

/** Whether the connection may work again: not after a wrong address, which a server that has answered rules out. */
function isTransientLoss({ world }: Seat, lost: RequestSeen["lost"]): boolean {
  if (lost === null) return false;
  if (lost.isKnown) world.count("seen", "given up on a server that has answered");
  return lost.isKnown || !["ECONNREFUSED", "ENOTFOUND"].includes(lost.code);
}

/** Checks that transient failures are retried as often as the setting says. */
function checkRetriesUsed(seat: Seat, turn: TurnSeen, result: SDKResultMessage, main: readonly RequestSeen[]): void {
  const { plan } = seat.world;
  if (result.terminal_reason !== "model_error" || plan.fallbacks.length > 0) return;
  const since = turn.messages.findLastIndex((message) => message.type === "system" && message.subtype === "transition");
  const retries = turn.messages
    .slice(since + 1)
    .filter((message) => message.type === "system" && message.subtype === "api_retry").length;
  const isTransient =
    transientFaults.has(main.at(-1)?.record?.fault ?? "") || isTransientLoss(seat, main.at(-1)?.lost ?? null);
  const asksLong = "errors" in result && result.errors[0]?.includes("asks to wait") === true;
  if (isTransient && !asksLong && retries < plan.maxRetries)
    seat.addProblem("§12", `given up after ${retries} retries, ${plan.maxRetries} are allowed`);
}

/** Checks that permanent failures are not retried with the same model. */
function checkUselessRetries(seat: Seat, turn: TurnSeen, main: readonly RequestSeen[]): void {
  const borders = turn.messages.flatMap((message, at) =>
    message.type === "system" && message.subtype === "transition" ? [turn.at[at]!] : [],
  );
  main.forEach((request, at) => {
    const next = main[at + 1];
    if (next === undefined || !permanentFaults.has(request.record?.fault ?? "") || next.model !== request.model) return;
    if (!borders.some((border) => border >= request.at && border <= next.at))
      seat.addProblem("§12", `asked again after ${request.record?.fault}`);
  });
}
