/** Why a result is no success, for programs; its `errors` say it to people. */
import type { FailureKind } from "./stop.ts";

export type SDKFailureCode = FailureKind | "interrupted" | "max_turns" | "max_budget_usd" | "structured_output";

export interface SDKFailure {
  code: SDKFailureCode;
  /** The same prompt, unchanged, may have an answer later. */
  retryable: boolean;
  /** Of the provider, where a request of its failed. */
  request_id?: string;
  /** HTTP. */
  status?: number;
}
