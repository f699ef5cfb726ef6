/** The failure of a call that was ended from this side. */
import type { ModelFailure } from "../../protocol/model.ts";
import { ownFailure, type FailureContext } from "../failure.ts";
import type { Cut } from "./cut.ts";

/** @param isStarted the answer had begun. */
export function interruption(
  { cause, isUnsent }: Pick<Cut, "cause" | "isUnsent">,
  context: FailureContext,
  { isStarted, requestId }: { isStarted: boolean; requestId: string | undefined },
): ModelFailure {
  const unsent = isUnsent ? ({ neverSent: true, mayPass: true } as const) : {};
  if (cause?.kind !== "stalled") return { kind: "aborted", recovery: "none", message: "Interrupted.", ...unsent };
  const seconds = Math.round(cause.afterMs / 1000);
  const what = isUnsent ? `could not be connected to within ${seconds} seconds` : `sent nothing for ${seconds} seconds`;
  const advice = isStarted ? "" : "If the server needs longer to begin, set API_TIMEOUT_MS.";
  const unreached = "Check the network, and HTTPS_PROXY where it is set.";
  const more = { advice: isUnsent ? unreached : advice, requestId };
  return { ...ownFailure("stalled", "retry", what, context, more), ...unsent };
}
