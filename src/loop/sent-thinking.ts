/** Which thinking of a conversation a request includes. */
import type { ModelInfo, ThinkingSetting } from "../protocol/model.ts";
import type { NormalizeOptions } from "./normalize.ts";

/** `isMissed`: the server requires its unsigned thinking back. It may think, and require it, even if asked not to think. */
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
