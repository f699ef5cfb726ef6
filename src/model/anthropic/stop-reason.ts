/** Normalizes a response's stop reason, from any server. */

/** Gateways pass on another protocol's stop reasons, and a cut answer must not be taken for a whole one. */
export function normalizedStopReason(stopReason: string): string {
  return foreignStopReasons.get(stopReason) ?? stopReason;
}

const foreignStopReasons: ReadonlyMap<string, string> = new Map([
  ["length", "max_tokens"],
  ["content_filter", "refusal"],
]);

const cuttingReasons = new Set(["max_tokens", "model_context_window_exceeded", "refusal"]);

/** The last block may be cut anywhere. After `refusal` the output is void, and a doubtful tool call must not run. */
export function mayCutAnswer(stopReason: string): boolean {
  return cuttingReasons.has(normalizedStopReason(stopReason));
}
