/** Which of the thinking of a conversation a request has. */
import type { ModelInfo, ThinkingSetting } from "../protocol/model.ts";
import type { NormalizeOptions } from "./normalize.ts";

/** `isMissed`: the server wants back what it has not signed, also where it was asked not to think, and thinks all the same. */
export function sentThinking(
  setting: ThinkingSetting,
  { thinking, unsignedThinking }: ModelInfo,
  isMissed: boolean,
): Pick<NormalizeOptions, "thinking" | "unsignedThinking"> {
  return {
    thinking: isMissed || setting.type !== "disabled" || thinking === "adaptive_always",
    unsignedThinking: isMissed || unsignedThinking === true,
  };
}
