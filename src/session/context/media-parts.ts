/** Images and documents that enter a session: fitted to the model in use, or kept as files if they cannot be. */
import { createMediaFit, type FitMedia, type Spill } from "../../context/index.ts";
import { mostPdfPages } from "../../protocol/media-limits.ts";
import type { Cancel } from "../../loop/cancel.ts";
import type { LoopPorts } from "../../loop/ports.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { ModelInfo } from "../../protocol/model.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export interface MediaPartsOptions {
  /** The model of the next request. */
  info: () => ModelInfo;
  spill: Spill;
  around: Surroundings;
}

export function composeMedia({ info, spill, around }: MediaPartsOptions): FitMedia {
  return createMediaFit({
    terms() {
      const { imageEdge, imageTokens, contextWindow } = info();
      return { imageEdge, imageTokens, pdfPages: mostPdfPages(contextWindow) };
    },
    clock: around.clock,
    saveFile: (bytes, extension) => spill.write("media", bytes, extension),
  });
}

/** The prompt as it is recorded and sent. Anything but a list of blocks is returned unchanged: the code that records it reports that. */
export async function fitPromptMedia(
  { context }: LoopPorts,
  prompt: ContentBlock[],
  { signal }: Cancel,
): Promise<ContentBlock[]> {
  try {
    return (await context.fitMedia?.(prompt, signal)) ?? prompt;
  } catch {
    return prompt;
  }
}
