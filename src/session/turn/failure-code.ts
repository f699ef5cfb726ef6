/** The reason a user turn did not succeed, for programs. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { SDKFailure } from "../../protocol/sdk-failure.ts";
import type { FailureKind, Terminal } from "../../protocol/stop.ts";

const transientKinds: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "rate_limit",
  "overloaded",
  "server_error",
  "connection",
  "stalled",
  "truncated_stream",
  "aborted",
  "transcript",
]);

export type FailedTerminal = Exclude<Terminal, { reason: "completed" | "stop_hook_prevented" | "hook_stopped" }>;

export function failureOf(terminal: FailedTerminal): SDKFailure {
  switch (terminal.reason) {
    case "model_error": {
      const { kind, requestId, status } = terminal.error;
      return {
        code: kind,
        retryable: transientKinds.has(kind),
        ...withoutUndefined({ request_id: requestId, status }),
      };
    }
    case "aborted_streaming":
    case "aborted_tools":
      return { code: "interrupted", retryable: true };
    case "max_turns":
      return { code: "max_turns", retryable: true };
    case "max_budget_usd":
      return { code: "max_budget_usd", retryable: false };
    case "blocking_limit":
    case "prompt_too_long":
      return { code: "prompt_too_long", retryable: false };
    case "image_error":
      return { code: "media", retryable: false };
    default:
      return terminal satisfies never;
  }
}
