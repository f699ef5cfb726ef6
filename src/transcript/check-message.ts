/** Checks whether parsed JSON is a `Message`, type by type. Returns what is wrong, or undefined. */
import type { MessageType, Usage } from "../protocol/index.ts";
import { checkContent } from "./check-content.ts";
import { isAmount, isMaybe, isPermissionMode, isText, isTexts, type Thing } from "./check.ts";
import { isRecord } from "../lib/is-record.ts";

const origins = "human queued context stop_hook recovery token_budget interruption compaction command".split(" ");
const continueReasons =
  "next_turn collapse_drain_retry reactive_compact_retry max_output_tokens_escalate max_output_tokens_recovery stop_hook_blocking token_budget_continuation".split(
    " ",
  );

const isTrue = (value: unknown) => value === true;
const oneOf =
  (...allowed: string[]) =>
  (value: unknown) =>
    isText(value) && allowed.includes(value);

const checks: Record<MessageType, (message: Thing) => string | undefined> = {
  user: (message) =>
    first(
      [isMaybe(message["isMeta"], isTrue), "isMeta"],
      [isMaybe(message["deferred"], isTrue), "deferred"],
      [isMaybe(message["awaitsHooks"], isTrue), "awaitsHooks"],
      [isMaybe(message["sourceUuid"], isText), "sourceUuid"],
      [isMaybe(message["isCompactSummary"], isTrue), "isCompactSummary"],
      [isMaybe(message["compactionBlock"], isCompactionBlock), "compactionBlock"],
      [isMaybe(message["origin"], oneOf(...origins)), "origin"],
    ) ?? checkContent(message["content"], "user"),
  assistant: (message) =>
    first(
      [isText(message["messageId"]), "messageId"],
      [isText(message["model"]), "model"],
      [isMaybe(message["requestId"], isText), "requestId"],
      [isMaybe(message["aborted"], isTrue), "aborted"],
      [isMaybe(message["apiError"], (error) => isRecord(error) && isText(error["kind"])), "apiError"],
    ) ?? checkContent(message["content"], "assistant"),
  response_end: (message) =>
    first(
      [isText(message["messageId"]), "messageId"],
      [isText(message["model"]), "model"],
      [message["stopReason"] === null || isText(message["stopReason"]), "stopReason"],
      [isAmount(message["costUsd"]), "costUsd"],
      [isUsage(message["usage"]), "usage"],
      [isMaybe(message["prefixDigest"], isText), "prefixDigest"],
    ),
  compact_boundary: (message) =>
    first(
      [oneOf("auto", "manual", "reactive", "rewound")(message["trigger"]), "trigger"],
      [isAmount(message["preTokens"]), "preTokens"],
      [isAmount(message["postTokens"]), "postTokens"],
      [message["lastSummarizedUuid"] === null || isText(message["lastSummarizedUuid"]), "lastSummarizedUuid"],
      [Array.isArray(message["messages"]), "messages"],
    ),
  snip_boundary: (message) =>
    first(
      [isText(message["fromUuid"]), "fromUuid"],
      [isText(message["toUuid"]), "toUuid"],
      [oneOf("host", "user", "model")(message["by"]), "by"],
      [isMaybe(message["reason"], isText), "reason"],
      // Older versions wrote negative numbers.
      [Number.isFinite(message["savedTokens"]), "savedTokens"],
      [isCounted(message["counted"]), "counted"],
    ),
  results_cleared: (message) =>
    first(
      [oneOf("money", "cache_expired", "room")(message["why"]), "why"],
      [isCleared(message["cleared"]), "cleared"],
      [isAmount(message["savedTokens"]), "savedTokens"],
      [isCounted(message["counted"]), "counted"],
      [isAmount(message["expectedRequests"]), "expectedRequests"],
      [message["netUsd"] === null || Number.isFinite(message["netUsd"]), "netUsd"],
    ),
  collapse_commit: (message) =>
    first(
      [isTexts(message["targets"]) && message["targets"].length > 0, "targets"],
      [Array.isArray(message["messages"]) && message["messages"].every(isWord), "messages"],
      [isAmount(message["preTokens"]), "preTokens"],
      [isAmount(message["postTokens"]), "postTokens"],
      [isCounted(message["counted"]), "counted"],
    ),
  thinking_stripped: (message) => first([oneOf("rejected", "model_changed", "rewritten")(message["reason"]), "reason"]),
  attachment: (message) => checkAttachment(message["attachment"]),
  notice: (message) =>
    first(
      [oneOf("info", "warning", "error")(message["level"]), "level"],
      [isText(message["name"]), "name"],
      [isText(message["text"]), "text"],
      [isMaybe(message["data"], isRecord), "data"],
    ),
  transition: (message) => {
    const transition = message["transition"];
    return first(
      [isRecord(transition) && oneOf(...continueReasons)(transition["reason"]), "transition"],
      [isAmount(message["turnCount"]), "turnCount"],
    );
  },
  tombstone: (message) =>
    first(
      [isTexts(message["targets"]), "targets"],
      [oneOf("retry", "fallback", "escalate", "refusal", "deferred")(message["reason"]), "reason"],
    ),
};

export function isMessageType(type: string): type is MessageType {
  return Object.hasOwn(checks, type);
}

export function checkMessage(message: Thing): string | undefined {
  const type = message["type"];
  if (!isText(type) || !isMessageType(type)) return "no known type";
  if (!isText(message["uuid"]) || message["uuid"] === "") return `${type}: uuid`;
  if (!isText(message["timestamp"])) return `${type}: timestamp`;
  const wrong = checks[type](message);
  return wrong === undefined ? undefined : `${type}: ${wrong}`;
}

function first(...tests: [boolean, string][]): string | undefined {
  return tests.find(([ok]) => !ok)?.[1];
}

/** Messages that can replace others: words of the user or the model. */
function isWord(message: unknown): boolean {
  if (!isRecord(message) || (message["type"] !== "user" && message["type"] !== "assistant")) return false;
  return checkMessage(message) === undefined;
}

function isCompactionBlock(block: unknown): boolean {
  return isRecord(block) && block["type"] === "compaction";
}

function isCounted(counted: unknown): boolean {
  return counted === null || (isRecord(counted) && isText(counted["responseEnd"]) && isAmount(counted["tokens"]));
}

/** The marker must have a visible character: the API refuses a result's text without one. */
function isCleared(cleared: unknown): boolean {
  const isOne = (one: unknown) =>
    isRecord(one) && isText(one["toolUseId"]) && isText(one["marker"]) && one["marker"].trim() !== "";
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
    optional.every((field) => isMaybe(usage[field], isAmount)) &&
    ["serviceTier", "inferenceGeo"].every((field) => isMaybe(usage[field], isText))
  );
}

function checkAttachment(attachment: unknown): string | undefined {
  if (!isRecord(attachment)) return "attachment";
  const texts = (...fields: string[]) =>
    fields.every((field) => isText(attachment[field])) ? undefined : "attachment";
  switch (attachment["kind"]) {
    case "queued_command":
      return texts("sourceUuid") ?? checkContent(attachment["prompt"], "user");
    case "file_changed":
      return texts("path", "snippet") ?? (isTimeOrNone(attachment["mtimeMs"]) ? undefined : "attachment mtimeMs");
    case "hook_context":
      return (
        texts("event", "text") ??
        (["toolUseId", "call"].every((field) => isMaybe(attachment[field], isText)) ? undefined : "attachment")
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

function checkReminder({ mail, permissionMode }: Thing): string | undefined {
  if (!isMaybe(mail, isMail)) return "attachment mail";
  return isMaybe(permissionMode, isPermissionMode) ? undefined : "attachment permissionMode";
}

function isMail(mail: unknown): boolean {
  return isRecord(mail) && isText(mail["id"]) && isText(mail["kind"]) && isText(mail["from"]);
}
