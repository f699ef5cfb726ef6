/** Checks a run's note, since a replay acts on it. */
import { isAmount, isAbsentOr, isString } from "./predicates.ts";
import { isRecord } from "../lib/is-record.ts";
import { isStringList } from "../lib/is-string-list.ts";

export function isRunNote(data: unknown): boolean {
  if (!isRecord(data)) return false;
  switch (data["at"]) {
    case "begin":
      return (
        isString(data["model"]) &&
        (data["agentId"] === null || isString(data["agentId"])) &&
        isRecord(data["limits"]) &&
        Object.values(data["limits"]).every((limit) => limit === null || isAmount(limit)) &&
        isStringList(data["fallbackModels"]) &&
        isThinkingSetting(data["thinking"]) &&
        isAbsentOr(data["maxOutputTokens"], isAmount)
      );
    case "failure":
      return isFailure(data["failure"]) && isString((data["failure"] as Record<string, unknown>)["recovery"]);
    case "retry":
      return isAmount(data["maxRetries"]);
    case "model":
    case "fallback":
      return isString(data["model"]) && isThinkingSetting(data["thinking"]);
    case "cut":
      return isAmount(data["maxTokens"]) && isAmount(data["modelMaxTokens"]) && typeof data["isLowered"] === "boolean";
    case "end":
      return isTerminal(data["terminal"]) && (data["cause"] === null || isString(data["cause"]));
    default:
      return false;
  }
}

function isThinkingSetting(value: unknown): boolean {
  return isRecord(value) && isString(value["type"]);
}

function isFailure(value: unknown): boolean {
  return isRecord(value) && isString(value["kind"]) && isString(value["message"]);
}

function isTerminal(value: unknown): boolean {
  if (value === null) return true;
  if (!isRecord(value) || !isString(value["reason"])) return false;
  return value["reason"] !== "model_error" || isFailure(value["error"]);
}
