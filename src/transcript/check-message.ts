/** Checks whether parsed JSON is a `Message`, type by type. Returns what is wrong, or undefined. */
import type { MessageType, Usage } from "../protocol/index.ts";
import { checkContent } from "./check-content.ts";
import { isPermissionMode } from "../protocol/permission.ts";
import { isAmount, isAbsentOr, isString, type UnknownRecord } from "./predicates.ts";
import { isRecord } from "../lib/is-record.ts";
import { isStringList } from "../lib/is-string-list.ts";

const origins = "human queued context stop_hook recovery token_budget interruption compaction command".split(" ");
const continueReasons =
  "next_turn collapse_drain_retry reactive_compact_retry max_output_tokens_escalate max_output_tokens_recovery stop_hook_blocking token_budget_continuation".split(
    " ",
  );

const isTrue = (value: unknown) => value === true;
const oneOf =
  (...allowed: string[]) =>
  (value: unknown) =>
    isString(value) && allowed.includes(value);

const messageChecks: Record<MessageType, (message: UnknownRecord) => string | undefined> = {
  user: (message) =>
    firstFailure(
      [isAbsentOr(message["isMeta"], isTrue), "isMeta"],
      [isAbsentOr(message["deferred"], isTrue), "deferred"],
      [isAbsentOr(message["awaitsHooks"], isTrue), "awaitsHooks"],
      [isAbsentOr(message["sourceUuid"], isString), "sourceUuid"],
      [isAbsentOr(message["isCompactSummary"], isTrue), "isCompactSummary"],
      [isAbsentOr(message["compactionBlock"], isCompactionBlock), "compactionBlock"],
      [isAbsentOr(message["origin"], oneOf(...origins)), "origin"],
    ) ?? checkContent(message["content"], "user"),
  assistant: (message) =>
    firstFailure(
      [isString(message["messageId"]), "messageId"],
      [isString(message["model"]), "model"],
      [isAbsentOr(message["requestId"], isString), "requestId"],
      [isAbsentOr(message["aborted"], isTrue), "aborted"],
      [isAbsentOr(message["apiError"], (error) => isRecord(error) && isString(error["kind"])), "apiError"],
    ) ?? checkContent(message["content"], "assistant"),
  response_end: (message) =>
    firstFailure(
      [isString(message["messageId"]), "messageId"],
      [isString(message["model"]), "model"],
      [message["stopReason"] === null || isString(message["stopReason"]), "stopReason"],
      [isAmount(message["costUsd"]), "costUsd"],
      [isUsage(message["usage"]), "usage"],
      [isAbsentOr(message["prefixDigest"], isString), "prefixDigest"],
    ),
  compact_boundary: (message) =>
    firstFailure(
      [oneOf("auto", "manual", "reactive", "rewound")(message["trigger"]), "trigger"],
      [isAmount(message["preTokens"]), "preTokens"],
      [isAmount(message["postTokens"]), "postTokens"],
      [message["lastSummarizedUuid"] === null || isString(message["lastSummarizedUuid"]), "lastSummarizedUuid"],
      [Array.isArray(message["messages"]), "messages"],
    ),
  snip_boundary: (message) =>
    firstFailure(
      [isString(message["fromUuid"]), "fromUuid"],
      [isString(message["toUuid"]), "toUuid"],
      [oneOf("host", "user", "model")(message["by"]), "by"],
      [isAbsentOr(message["reason"], isString), "reason"],
      // Older versions wrote negative numbers.
      [Number.isFinite(message["savedTokens"]), "savedTokens"],
      [isCountedTokens(message["counted"]), "counted"],
    ),
  results_cleared: (message) =>
    firstFailure(
      [oneOf("money", "cache_expired", "room")(message["why"]), "why"],
      [isClearedList(message["cleared"]), "cleared"],
      [isAmount(message["savedTokens"]), "savedTokens"],
      [isCountedTokens(message["counted"]), "counted"],
      [isAmount(message["expectedRequests"]), "expectedRequests"],
      [message["netUsd"] === null || Number.isFinite(message["netUsd"]), "netUsd"],
    ),
  collapse_commit: (message) =>
    firstFailure(
      [isStringList(message["targets"]) && message["targets"].length > 0, "targets"],
      [Array.isArray(message["messages"]) && message["messages"].every(isConversationMessage), "messages"],
      [isAmount(message["preTokens"]), "preTokens"],
      [isAmount(message["postTokens"]), "postTokens"],
      [isCountedTokens(message["counted"]), "counted"],
    ),
  thinking_stripped: (message) =>
    firstFailure([oneOf("rejected", "model_changed", "rewritten")(message["reason"]), "reason"]),
  attachment: (message) => checkAttachment(message["attachment"]),
  notice: (message) =>
    firstFailure(
      [oneOf("info", "warning", "error")(message["level"]), "level"],
      [isString(message["name"]), "name"],
      [isString(message["text"]), "text"],
      [isAbsentOr(message["data"], isRecord), "data"],
    ),
  transition: (message) => {
    const transition = message["transition"];
    return firstFailure(
      [isRecord(transition) && oneOf(...continueReasons)(transition["reason"]), "transition"],
      [isAmount(message["turnCount"]), "turnCount"],
    );
  },
  tombstone: (message) =>
    firstFailure(
      [isStringList(message["targets"]), "targets"],
      [oneOf("retry", "fallback", "escalate", "refusal", "deferred")(message["reason"]), "reason"],
    ),
};

export function isMessageType(type: string): type is MessageType {
  return Object.hasOwn(messageChecks, type);
}

export function checkMessage(message: UnknownRecord): string | undefined {
  const type = message["type"];
  if (!isString(type) || !isMessageType(type)) return "no known type";
  if (!isString(message["uuid"]) || message["uuid"] === "") return `${type}: uuid`;
  if (!isString(message["timestamp"])) return `${type}: timestamp`;
  const wrong = messageChecks[type](message);
  return wrong === undefined ? undefined : `${type}: ${wrong}`;
}

function firstFailure(...tests: [boolean, string][]): string | undefined {
  return tests.find(([ok]) => !ok)?.[1];
}

/** Messages that can replace others: words of the user or the model. */
function isConversationMessage(message: unknown): boolean {
  if (!isRecord(message) || (message["type"] !== "user" && message["type"] !== "assistant")) return false;
  return checkMessage(message) === undefined;
}

function isCompactionBlock(block: unknown): boolean {
  return isRecord(block) && block["type"] === "compaction";
}

function isCountedTokens(counted: unknown): boolean {
  return counted === null || (isRecord(counted) && isString(counted["responseEnd"]) && isAmount(counted["tokens"]));
}

/** The marker must have a visible character: the API refuses a result's text without one. */
function isClearedList(cleared: unknown): boolean {
  const isOne = (one: unknown) =>
    isRecord(one) && isString(one["toolUseId"]) && isString(one["marker"]) && one["marker"].trim() !== "";
  return Array.isArray(cleared) && cleared.every(isOne);
}

export function isUsage(usage: unknown): usage is Usage {
  if (!isRecord(usage)) return false;
  const required = ["inputTokens", "outputTokens", "cacheCreationInputTokens", "cacheReadInputTokens"];
  const optional = [
    "cacheCreation5mInputTokens",
    "cacheCreation1hInputTokens",
    "webSearchRequests",
    "webFetchRequests",
    "thinkingTokens",
  ];
  if (!required.every((field) => isAmount(usage[field]))) return false;
  return (
    optional.every((field) => isAbsentOr(usage[field], isAmount)) &&
    ["serviceTier", "inferenceGeo"].every((field) => isAbsentOr(usage[field], isString))
  );
}

function checkAttachment(attachment: unknown): string | undefined {
  if (!isRecord(attachment)) return "attachment";
  const texts = (...fields: string[]) =>
    fields.every((field) => isString(attachment[field])) ? undefined : "attachment";
  switch (attachment["kind"]) {
    case "queued_command":
      return texts("sourceUuid") ?? checkContent(attachment["prompt"], "user");
    case "file_changed":
      return texts("path", "snippet") ?? (isTimeOrNone(attachment["mtimeMs"]) ? undefined : "attachment mtimeMs");
    case "hook_context":
      return (
        texts("event", "text") ??
        (["toolUseId", "call"].every((field) => isAbsentOr(attachment[field], isString)) ? undefined : "attachment")
      );
    case "max_turns_reached":
      return isAmount(attachment["maxTurns"]) && isAmount(attachment["turnCount"]) ? undefined : "attachment";
    case "hook_stopped_continuation":
      return texts("event", "message");
    case "reminder":
      return texts("name", "text") ?? checkReminder(attachment);
    default:
      return "attachment kind";
  }
}

function isTimeOrNone(mtimeMs: unknown): boolean {
  return mtimeMs === undefined || mtimeMs === null || typeof mtimeMs === "number";
}

function checkReminder({ mail, permissionMode }: UnknownRecord): string | undefined {
  if (!isAbsentOr(mail, isMail)) return "attachment mail";
  return isAbsentOr(permissionMode, isPermissionMode) ? undefined : "attachment permissionMode";
}

function isMail(mail: unknown): boolean {
  return isRecord(mail) && isString(mail["id"]) && isString(mail["kind"]) && isString(mail["from"]);
}
