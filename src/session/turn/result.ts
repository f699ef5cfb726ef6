/** Makes the single result of a user turn from the loop's single Terminal. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type {
  SDKPermissionDenial,
  SDKResultError,
  SDKResultMessage,
  SDKResultSuccess,
  SDKTerminalReason,
} from "../../protocol/sdk.ts";
import type { SDKFailure } from "../../protocol/sdk-failure.ts";
import type { Terminal } from "../../protocol/stop.ts";
import { failureOf, type FailedTerminal } from "./failure-code.ts";
import type { StructuredOutcome } from "../tools/structured-output.ts";
import type { ModelUsage } from "../../protocol/usage.ts";
import { toResultUsage } from "../../protocol/wire-usage.ts";
import type { TurnLog } from "../events/turn-log.ts";

export interface TurnReport {
  terminal: Terminal;
  /** Text of the last response; if a completed turn ended in a blank one, of the last response before it that has text. */
  text: string;
  /** The text that people were shown instead. */
  displayed?: string;
  log: Pick<
    TurnLog,
    "errors" | "failedRequest" | "turnCount" | "userMessages" | "stopReason" | "usage" | "durationApiMs"
  >;
  durationMs: number;
  totalCostUsd: number;
  modelUsage: Record<string, ModelUsage>;
  permissionDenials: SDKPermissionDenial[];
  maxTurns?: number;
  maxBudgetUsd?: number;
  /** The call that a hook has deferred. `isUnavailable`: its tool does not exist now. */
  deferral?: { id: string; name: string; input: Record<string, unknown>; isUnavailable?: true };
  /** Present if the caller required an answer of a given schema. */
  structured?: StructuredOutcome;
  /** Why the last call was not admitted. */
  refusal?: string;
  uuid: string;
  sessionId: string;
}

export function makeResult(report: TurnReport): SDKResultMessage {
  const { deferral } = report;
  const result = resultOf(report);
  if (deferral === undefined) return result;
  const { id, name, input, isUnavailable } = deferral;
  if (isUnavailable === true)
    return { ...result, stop_reason: "tool_deferred_unavailable", terminal_reason: "tool_deferred_unavailable" };
  const deferred_tool_use = { id, name, input };
  return { ...result, stop_reason: "tool_deferred", terminal_reason: "tool_deferred", deferred_tool_use };
}

function resultOf(report: TurnReport): SDKResultMessage {
  const { terminal, log } = report;
  const common = {
    type: "result" as const,
    uuid: report.uuid,
    session_id: report.sessionId,
    duration_ms: Math.round(report.durationMs),
    duration_api_ms: Math.round(log.durationApiMs),
    num_turns: log.turnCount,
    num_user_messages: log.userMessages,
    stop_reason: log.stopReason,
    terminal_reason: terminalReason(terminal),
    total_cost_usd: report.totalCostUsd,
    usage: toResultUsage(log.usage),
    modelUsage: report.modelUsage,
    permission_denials: report.permissionDenials,
  };
  switch (terminal.reason) {
    case "completed":
    case "stop_hook_prevented":
    case "hook_stopped": {
      const { structured, text, displayed: display_content } = report;
      const shown = display_content === undefined ? {} : { display_content };
      return structured === undefined
        ? { ...common, subtype: "success", is_error: false, result: text, ...shown }
        : { ...common, ...structuredFields(structured, report) };
    }
    case "max_turns": {
      const errors = [`Reached maximum number of turns (${report.maxTurns ?? terminal.turnCount - 1})`];
      return { ...common, ...failedFields(terminal, errors), subtype: "error_max_turns" };
    }
    case "max_budget_usd": {
      const errors = [report.refusal ?? `Reached maximum budget ($${report.maxBudgetUsd ?? 0})`];
      return { ...common, ...failedFields(terminal, errors), subtype: "error_max_budget_usd" };
    }
    case "model_error":
      return {
        ...common,
        ...failedFields(terminal, [terminal.error.message]),
        api_error_status: terminal.error.status ?? null,
      };
    case "aborted_streaming":
    case "aborted_tools":
      return { ...common, ...failedFields(terminal, ["Interrupted by user"]) };
    case "blocking_limit":
    case "prompt_too_long":
    case "image_error": {
      const errors = log.errors.length > 0 ? log.errors : [`The run ended: ${terminal.reason}.`];
      const end = failedFields(terminal, errors);
      const request = { failure: { ...end.failure, ...log.failedRequest } };
      return { ...common, ...end, ...request, ...withoutUndefined({ api_error_status: log.failedRequest.status }) };
    }
    default:
      return terminal satisfies never;
  }
}

type FailedFields = Pick<SDKResultError, "subtype" | "is_error" | "errors"> & { failure: SDKFailure };

function failedFields(terminal: FailedTerminal, errors: string[]): FailedFields {
  return { subtype: "error_during_execution", is_error: true, errors, failure: failureOf(terminal) };
}

type StructuredFields =
  | Pick<SDKResultSuccess, "subtype" | "is_error" | "result" | "structured_output">
  | (FailedFields & Partial<Pick<SDKResultError, "terminal_reason">>);

/** Without the required answer, the result is not a success. */
function structuredFields(outcome: StructuredOutcome, { terminal, text, deferral }: TurnReport): StructuredFields {
  if (outcome.ok) {
    const result = text === "" ? JSON.stringify(outcome.value) : text;
    return { subtype: "success", is_error: false, result, structured_output: outcome.value };
  }
  const { tries, isOver, why } = outcome;
  const common = { is_error: true as const, failure: { code: "structured_output" as const, retryable: true } };
  // The limit on continuations of a turn may be reached before the last try.
  if (!isOver && (terminal.reason !== "completed" || tries === 0)) {
    const reason =
      deferral === undefined ? why : `a hook deferred the call of ${deferral.name}, which the next turn takes up.`;
    return { ...common, subtype: "error_during_execution", errors: [`The turn ended before its answer: ${reason}`] };
  }
  return {
    ...common,
    subtype: "error_max_structured_output_retries",
    terminal_reason: "structured_output_retry_exhausted",
    errors: [`No answer fitted the schema in ${tries} ${tries === 1 ? "try" : "tries"}. The last one: ${why}`],
  };
}

function terminalReason({ reason }: Terminal): SDKTerminalReason {
  return reason === "max_budget_usd" ? "budget_exhausted" : reason;
}
