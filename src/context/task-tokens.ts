/** How much work on the current prompt is no longer in the conversation: a task budget counts it, but the API no longer sees it. */
import type { Message } from "../protocol/index.ts";
import { messageTokens } from "./measure.ts";
import { isPrompt } from "./trajectories.ts";

/** Returns how many tokens of work since the last prompt are missing in `after`. What replaces them is not work. */
export function taskTokensLost(before: readonly Message[], after: readonly Message[], scale: number): number {
  if (before === after) return 0;
  return Math.max(0, Math.round((workTokens(before) - workTokens(after)) * scale));
}

/** Counts answers, calls and results since the last prompt, or all of them if the prompt is gone. */
function workTokens(messages: readonly Message[]): number {
  let sum = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message?.type === "assistant") sum += messageTokens(message).total;
    if (message?.type !== "user" || message.isMeta === true) continue;
    const ends: boolean = isPrompt(message);
    if (ends) break;
    sum += messageTokens(message).total;
  }
  return sum;
}
