/** The failure of a call that was ended from this side. */
import type { ModelFailure } from "../../protocol/model.ts";
import { localFailure, type FailureContext } from "../failure.ts";
import type { Cut } from "./cut.ts";

/** @param isStarted the answer had begun. */
export function interruptionFailure(
  { cause, isUnsent }: Pick<Cut, "cause" | "isUnsent">,
  context: FailureContext,
  { isStarted, requestId }: { isStarted: boolean; requestId: string | undefined },
): ModelFailure {
  const unsent = isUnsent ? ({ neverSent: true, mayPass: true } as const) : {};
  if (cause?.kind !== "stalled") return { kind: "aborted", recovery: "none", message: "Interrupted.", ...unsent };
  const time = inSeconds(cause.afterMs);
  const what = isUnsent ? `could not be connected to within ${time}` : `sent nothing for ${time}`;
  const advice = isStarted ? "" : "If the server needs longer to begin, set API_TIMEOUT_MS.";
  const unreached = "Check the network, and HTTPS_PROXY where it is set.";
  const more = { advice: isUnsent ? unreached : advice, requestId };
  return { ...localFailure("stalled", "retry", what, context, more), ...unsent };
}

/** Whole seconds; below ten, with one digit after the point where there is one. */
function inSeconds(ms: number): string {
  const seconds = ms < 9_950 ? Math.max(0.1, Math.round(ms / 100) / 10) : Math.round(ms / 1_000);
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}
