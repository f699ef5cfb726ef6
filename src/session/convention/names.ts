/** Names that programs of the convention import besides its functions. */
import { hookEvents } from "../../protocol/hook.ts";

/** All hook events. */
export const HOOK_EVENTS = hookEvents;

/** Possible values of `reason` in a `SessionEnd` hook's input. */
export const EXIT_REASONS = ["clear", "resume", "prompt_input_exit", "other"] as const;

/** For programs that check for it. Here an aborted query ends with its `result` and throws nothing. */
export class AbortError extends Error {
  override readonly name = "AbortError";
}
