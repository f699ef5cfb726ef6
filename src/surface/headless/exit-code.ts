/** The documented exit codes. Code 2, for a wrong use of the command line, comes from `UsageError`. */
import type { SDKResultMessage } from "../../protocol/sdk.ts";
import type { StopCause } from "../stop-desk.ts";

export const exitCodes = {
  success: 0,
  error: 1,
  usage: 2,
  maxTurns: 3,
  budget: 4,
  interrupted: 130,
  quit: 131,
  outputClosed: 141,
  terminated: 143,
} as const;

/** If the reader of the output is gone (`| head -1`), nothing is reported, and the code is the one shells use for SIGPIPE. */
export function exitCodeOf(result: SDKResultMessage | undefined, cause: StopCause | undefined): number {
  if (cause !== undefined) return stopExitCode(cause);
  if (result === undefined) return exitCodes.error;
  switch (result.subtype) {
    case "success":
      return result.is_error ? exitCodes.error : exitCodes.success;
    case "error_max_turns":
      return exitCodes.maxTurns;
    case "error_max_budget_usd":
      return exitCodes.budget;
    case "error_during_execution":
      return result.terminal_reason.startsWith("aborted") ? exitCodes.interrupted : exitCodes.error;
    case "error_max_structured_output_retries":
      return exitCodes.error;
    default:
      return result satisfies never;
  }
}

export function stopExitCode(cause: StopCause): number {
  switch (cause) {
    case "interrupted":
      return exitCodes.interrupted;
    case "terminated":
      return exitCodes.terminated;
    case "quit":
      return exitCodes.quit;
    case "output_closed":
      return exitCodes.outputClosed;
    default:
      return cause satisfies never;
  }
}
