/** Chooses what to leave out, from what the API said, after it refused an image or document, or a request with too many bytes. */
import { pictureSize } from "../lib/image-header.ts";
import { mostImageSide } from "../protocol/media-limits.ts";
import type { Message, ShrinkResult } from "../protocol/index.ts";
import type { Pass } from "./layer.ts";
import { mediaForHalf } from "./media-limit.ts";
import { placedMedia, unansweredStart, type PlacedMedium } from "./media.ts";
import { leaveOutMedia, type RewrittenConversation } from "./media-rewrite.ts";
import type { Medium } from "./media-text.ts";

/** The API refuses requests from 32 MB on, gateways far earlier. With this many bytes, media are assumed to be the reason. */
const heavyMediaBytes = 2_000_000;
/** With this many bytes, media are the reason if they are most of the request: by default some gateways take only 1 MB. */
const mostlyMediaBytes = 500_000;

/**
 * Leaves out what the API refused: unanswered media of the kind it named, and all media of a size it named. If there are none, all media of
 * that kind, and if there are none of those, all unanswered media, then all media.
 */
export function withoutRefusedMedia(pass: Pass, detail: string): ShrinkResult {
  const { messages } = pass;
  const start = unansweredStart(messages);
  const all = placedMedia(messages);
  const isUnseen = ({ at }: PlacedMedium): boolean => at >= start;
  const isKind = namedKindFilter(detail);
  const isSize = namedSizeFilter(detail);
  const tiers = [
    (one: PlacedMedium) => (isUnseen(one) && isKind(one.medium)) || isSize(one.medium),
    ({ medium }: PlacedMedium) => isKind(medium),
    isUnseen,
  ];
  const refusedMedia = tiers.map((tier) => all.filter(tier)).find((some) => some.length > 0) ?? all;
  return toShrinkResult(leaveOutMedia(pass, refusedMedia, "the API refused it", "reactive"));
}

/** Returns undefined if media are not what makes the request large. */
export function withoutHeavyMedia(pass: Pass): ShrinkResult | undefined {
  if (!hasHeavyMedia(pass.messages)) return undefined;
  return toShrinkResult(leaveOutMedia(pass, mediaForHalf(pass.messages), "the request had too many bytes", "reactive"));
}

function hasHeavyMedia(messages: readonly Message[]): boolean {
  const bytes = mediaBytes(messages);
  if (bytes < mostlyMediaBytes || bytes >= heavyMediaBytes) return bytes >= heavyMediaBytes;
  const contents = messages.map((message) => ("content" in message ? message.content : []));
  return bytes * 2 >= JSON.stringify(contents).length;
}

function toShrinkResult(rewritten: RewrittenConversation | undefined): ShrinkResult {
  if (rewritten === undefined)
    return { kind: "no_progress", why: "the conversation holds no image or document to leave out" };
  // Success means that media are gone: a new estimate of the tokens may look larger.
  const afterTokens = Math.min(rewritten.afterTokens, rewritten.beforeTokens - 1);
  return { kind: "shrunk", ...rewritten, afterTokens, committed: 0 };
}

function mediaBytes(messages: readonly Message[]): number {
  const sources = placedMedia(messages).map(({ medium }) => medium.source);
  return sources.reduce((sum, source) => sum + (source.type === "base64" ? source.data.length : 0), 0);
}

function namedKindFilter(detail: string): (medium: Medium) => boolean {
  const namesImage = /\bimages?\b/i.test(detail);
  const namesDocument = /\b(?:pdfs?|documents?)\b/i.test(detail);
  if (namesImage === namesDocument) return () => true;
  return (medium) => (medium.type === "image") === namesImage;
}

/** The API says `…: 2000 pixels` about many images, `…: 8000 pixels` about one: any image of the conversation may be meant. */
function namedSizeFilter(detail: string): (medium: Medium) => boolean {
  const namedPixels = /(\d{3,5}) pixels/.exec(detail)?.[1];
  if (namedPixels === undefined) return () => false;
  const side = Math.max(Number(namedPixels), mostImageSide);
  return (medium) => {
    if (medium.type !== "image" || medium.source.type !== "base64") return false;
    const size = pictureSize(Buffer.from(medium.source.data, "base64"));
    return size === undefined || Math.max(size.width, size.height) > side;
  };
}
