/** Why a result is not a success, for programs; the result's `errors` say it for people. */
import type { FailureKind } from "./stop.ts";

export type SDKFailureCode = FailureKind | "interrupted" | "max_turns" | "max_budget_usd" | "structured_output";

export interface SDKFailure {
  code: SDKFailureCode;
  /** The same prompt, sent again unchanged, may succeed later. */
  retryable: boolean;
  /** The provider's request id, if a request failed. */
  request_id?: string;
  /** The HTTP status. */
  status?: number;
}
