/** The number of thinking tokens, as a host sets it while the session runs. */
import { UsageError } from "../../lib/usage-error.ts";
import type { ThinkingDisplay, ThinkingSetting } from "../../protocol/model.ts";
import type { Joined } from "../joined.ts";

export interface ThinkingChange {
  tokens: number | null | undefined;
  display: ThinkingDisplay | null | undefined;
  /** The setting that the session began with. */
  first: ThinkingSetting;
}

export function setMaxThinkingTokens(
  wishes: Joined["models"]["wishes"],
  { tokens, display, first }: ThinkingChange,
): void {
  if (tokens !== null && tokens !== undefined && !(Number.isSafeInteger(tokens) && tokens >= 0))
    throw new UsageError(
      "The number of thinking tokens must be a whole number; 0 turns thinking off, null restores the initial setting.",
    );
  const shown = display === undefined ? thinkingDisplayOf(wishes.thinking) : (display ?? thinkingDisplayOf(first));
  const left = tokens === null ? first : wishes.thinking;
  const chosen: ThinkingSetting = typeof tokens === "number" ? { type: "enabled", budgetTokens: tokens } : left;
  const isOff = tokens === 0 || chosen.type === "disabled";
  wishes.thinking = isOff ? { type: "disabled" } : { ...chosen, ...(shown === undefined ? {} : { display: shown }) };
  wishes.chosenThinking = wishes.thinking;
}

function thinkingDisplayOf(thinking: ThinkingSetting): ThinkingDisplay | undefined {
  return thinking.type === "disabled" ? undefined : thinking.display;
}
