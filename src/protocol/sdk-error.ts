/** Maps failures to the error names that clients and hooks expect by convention. */
import type { SDKAssistantMessageError } from "./sdk.ts";
import type { FailureKind } from "./stop.ts";

const sdkErrors: Partial<Record<FailureKind, SDKAssistantMessageError>> = {
  authentication_failed: "authentication_failed",
  permission_denied: "authentication_failed",
  billing_error: "billing_error",
  rate_limit: "rate_limit",
  overloaded: "overloaded",
  invalid_request: "invalid_request",
  media: "invalid_request",
  prompt_too_long: "invalid_request",
  thinking_rejected: "invalid_request",
  compaction_refused: "invalid_request",
  refusal: "invalid_request",
  model_not_found: "model_not_found",
  server_error: "server_error",
  connection: "server_error",
  stalled: "server_error",
  truncated_stream: "server_error",
  max_output_tokens: "max_output_tokens",
};

export function toSDKError(kind: FailureKind): SDKAssistantMessageError {
  return sdkErrors[kind] ?? "unknown";
}
