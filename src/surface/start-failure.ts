/** Returns the result message of a session that could not start. */
import { errorText } from "../lib/error-text.ts";
import { PawlError } from "../lib/pawl-error.ts";
import { refusalText } from "../lib/system-reason.ts";
import { noUsage } from "../protocol/usage.ts";
import { toResultUsage } from "../protocol/wire-usage.ts";

export function startFailure(error: unknown, uuid: string): object {
  const { code, retryable } = error instanceof PawlError ? error : { code: "internal", retryable: false };
  return {
    type: "result",
    subtype: "error_during_execution",
    is_error: true,
    errors: [refusalText(error) ?? errorText(error)],
    failure: { code, retryable },
    terminal_reason: "turn_setup_failed",
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 0,
    stop_reason: null,
    total_cost_usd: 0,
    usage: toResultUsage(noUsage),
    modelUsage: {},
    permission_denials: [],
    uuid,
    session_id: "",
  };
}
