/** Checks a run's note, since a replay acts on it. */
import { isAmount, isMaybe, isText, isTexts } from "./check.ts";
import { isRecord } from "../lib/is-record.ts";

export function isRunNote(data: unknown): boolean {
  if (!isRecord(data)) return false;
  switch (data["at"]) {
    case "begin":
      return (
        isText(data["model"]) &&
        (data["agentId"] === null || isText(data["agentId"])) &&
        isRecord(data["limits"]) &&
        Object.values(data["limits"]).every((limit) => limit === null || isAmount(limit)) &&
        isTexts(data["fallbackModels"]) &&
        isRecord(data["thinking"]) &&
        isText(data["thinking"]["type"]) &&
        isMaybe(data["maxOutputTokens"], isAmount)
      );
    case "failure":
      return isFailure(data["failure"]) && isText((data["failure"] as Record<string, unknown>)["recovery"]);
    case "retry":
      return isAmount(data["maxRetries"]);
    case "cut":
      return isAmount(data["maxTokens"]) && isAmount(data["modelMaxTokens"]) && typeof data["isLowered"] === "boolean";
    case "end":
      return isTerminal(data["terminal"]) && (data["cause"] === null || isText(data["cause"]));
    default:
      return false;
  }
}

function isFailure(value: unknown): boolean {
  return isRecord(value) && isText(value["kind"]) && isText(value["message"]);
}

function isTerminal(value: unknown): boolean {
  if (value === null) return true;
  if (!isRecord(value) || !isText(value["reason"])) return false;
  return value["reason"] !== "model_error" || isFailure(value["error"]);
}
