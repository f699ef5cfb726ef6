/** Names that programs of the convention import beside its functions. */
import { hookEvents } from "../../protocol/hook.ts";

/** The events there are hooks of. */
export const HOOK_EVENTS = hookEvents;

/** What a `SessionEnd` hook may be told as `reason`. */
export const EXIT_REASONS = ["clear", "resume", "prompt_input_exit", "other"] as const;

/** For programs that look for it. An aborted query ends with its `result` here, and throws nothing. */
export class AbortError extends Error {
  override readonly name = "AbortError";
}
