/** Where images and documents join the conversation. Content without media passes without loading the fitting code. */
import { loadOnce } from "../lib/load-once.ts";
import type { ContentBlock } from "../protocol/index.ts";
import type { FitMedia, MediaFitDeps } from "./media-fit-types.ts";
import type { SourceLayer } from "./layer.ts";

const loadFit = loadOnce(() => import("./media-fit.ts"));

export function createMediaFit(deps: MediaFitDeps): FitMedia {
  return async (content, options) =>
    content.some(containsMedia) ? await (await loadFit()).fitMedia(content, options, deps) : content;
}

function containsMedia(block: ContentBlock): boolean {
  if (block.type === "image" || block.type === "document") return true;
  return block.type === "tool_result" && typeof block.content !== "string" && block.content.some(containsMedia);
}

export const fitResultMedia: SourceLayer = async (content, { signal }, { fitMedia }) =>
  typeof content === "string" || fitMedia === undefined ? content : await fitMedia(content, { signal });
