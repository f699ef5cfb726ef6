/** The API would not take an image or document, or the request has too many bytes: what gives way, from what it said. */
import { pictureSize } from "../lib/image-header.ts";
import { mostImageSide } from "../lib/media-limits.ts";
import type { Message, ShrinkResult } from "../protocol/index.ts";
import type { Pass } from "./layer.ts";
import { mediaForHalf } from "./media-limit.ts";
import { placedMedia, unansweredStart, type PlacedMedium } from "./media.ts";
import { leaveOut, type Rewritten } from "./media-rewrite.ts";
import type { Medium } from "./media-text.ts";

/** A request is refused for its bytes from 32 MB on, or by a gateway far earlier: with so much in media they are why. */
const heavyMediaBytes = 2_000_000;
/** With so much they are where most of the request is media: gateways as they come take 1 MB. */
const mostlyMediaBytes = 500_000;

/**
 * What the API has not answered yet is what it refused: of the kind it named, with whatever in the conversation is of a size it
 * named. Where that is nothing, all of the kind may be it, and then all.
 */
export function withoutRefused(pass: Pass, detail: string): ShrinkResult {
  const { messages } = pass;
  const start = unansweredStart(messages);
  const all = placedMedia(messages);
  const isUnseen = ({ at }: PlacedMedium): boolean => at >= start;
  const isKind = kindNamed(detail);
  const isSize = sizeNamed(detail);
  const tiers = [
    (one: PlacedMedium) => (isUnseen(one) && isKind(one.medium)) || isSize(one.medium),
    ({ medium }: PlacedMedium) => isKind(medium),
    isUnseen,
  ];
  const gone = tiers.map((tier) => all.filter(tier)).find((some) => some.length > 0) ?? all;
  return shrunk(leaveOut(pass, gone, "the API refused it", "reactive"));
}

/** Undefined where media are not what makes the request large. */
export function withoutHeavyMedia(pass: Pass): ShrinkResult | undefined {
  if (!isHeavy(pass.messages)) return undefined;
  return shrunk(leaveOut(pass, mediaForHalf(pass.messages), "the request had too many bytes", "reactive"));
}

function isHeavy(messages: readonly Message[]): boolean {
  const bytes = sizeOf(messages);
  if (bytes < mostlyMediaBytes || bytes >= heavyMediaBytes) return bytes >= heavyMediaBytes;
  const contents = messages.map((message) => ("content" in message ? message.content : []));
  return bytes * 2 >= JSON.stringify(contents).length;
}

function shrunk(made: Rewritten | undefined): ShrinkResult {
  if (made === undefined)
    return { kind: "no_progress", why: "the conversation holds no image or document to leave out" };
  // What is judged is that media are gone: tokens that were estimated anew may look like more.
  const afterTokens = Math.min(made.afterTokens, made.beforeTokens - 1);
  return { kind: "shrunk", ...made, afterTokens, committed: 0 };
}

function sizeOf(messages: readonly Message[]): number {
  const sources = placedMedia(messages).map(({ medium }) => medium.source);
  return sources.reduce((sum, source) => sum + (source.type === "base64" ? source.data.length : 0), 0);
}

function kindNamed(detail: string): (medium: Medium) => boolean {
  const namesImage = /\bimages?\b/i.test(detail);
  const namesDocument = /\b(?:pdfs?|documents?)\b/i.test(detail);
  if (namesImage === namesDocument) return () => true;
  return (medium) => (medium.type === "image") === namesImage;
}

/** `…: 2000 pixels` among many images, `…: 8000 pixels` of one: any image of the conversation may be meant. */
function sizeNamed(detail: string): (medium: Medium) => boolean {
  const named = /(\d{3,5}) pixels/.exec(detail)?.[1];
  if (named === undefined) return () => false;
  const side = Math.max(Number(named), mostImageSide);
  return (medium) => {
    if (medium.type !== "image" || medium.source.type !== "base64") return false;
    const size = pictureSize(Buffer.from(medium.source.data, "base64"));
    return size === undefined || Math.max(size.width, size.height) > side;
  };
}
