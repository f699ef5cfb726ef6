/** How a response ended, whoever tells it. */

/** Gateways hand on the word of another protocol, and an answer that was cut must not pass for a whole one. */
export function ofThisApi(stopReason: string): string {
  return ofOthers.get(stopReason) ?? stopReason;
}

const ofOthers: ReadonlyMap<string, string> = new Map([
  ["length", "max_tokens"],
  ["content_filter", "refusal"],
]);

const cuttingReasons = new Set(["max_tokens", "model_context_window_exceeded", "refusal"]);

/** The last block may be cut anywhere. After `refusal` the output is void, and a call in doubt must not run. */
export function mayCut(stopReason: string): boolean {
  return cuttingReasons.has(ofThisApi(stopReason));
}
