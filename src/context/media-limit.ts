/**
 * Limits the images, pages and bytes in a request. If a conversation exceeds a limit, its oldest media are replaced by text. One step
 * removes enough to make room for as many new ones before the next step, because each step costs the prompt cache and the thinking bound to
 * what has changed.
 */
import { mostMediaBase64, mostPdfPages } from "../lib/media-limits.ts";
import type { ContextEvent, Message, ModelInfo } from "../protocol/index.ts";
import type { Steps } from "../lib/steps.ts";
import { noticeOf, type Change, type ContextMemory, type Pass } from "./layer.ts";
import { mediaOf, placedMedia, unansweredStart, type PlacedMedium } from "./media.ts";
import { leaveOut } from "./media-rewrite.ts";
import type { Medium } from "./media-text.ts";
import { pagesOf } from "./media-tokens.ts";

interface Load {
  images: number;
  pages: number;
  /** Characters of base64. */
  bytes: number;
}

/** The share of the limit that old media may keep. */
const keptShare = 0.5;
const why = "a request takes only so many, so the oldest are left out; call the tool again if you still need it";

export function* limitMedia(pass: Pass): Steps<ContextEvent, Change | undefined> {
  const { messages, input, world } = pass;
  const limits = limitsOf(input.model);
  if (isWithin(totalSoFar(messages, world.memory), limits, 1)) return undefined;
  // The running total may include media left out since: count everything again only when the total is too high.
  seenBy.delete(world.memory);
  if (isWithin(totalSoFar(messages, world.memory), limits, 1)) return undefined;
  const gone = oldestMedia(messages, limits, keptShare);
  const made = leaveOut(pass, gone, why, "auto");
  if (made === undefined) return undefined;
  const text = `Older images and documents (${gone.length}) were left out of the conversation: a request takes up to ${limits.images} images, ${limits.pages} pages and ${Math.round(limits.bytes / 1e6)} MB of them.`;
  yield noticeOf(world, "info", "media_left_out", text);
  return { messages: made.messages, records: made.records, tokens: made.afterTokens, tracking: input.tracking };
}

/** After the API said the request has too many bytes: returns media with at least half of the media's bytes. */
export function mediaForHalf(messages: readonly Message[]): PlacedMedium[] {
  const { bytes } = totalOf(messages);
  return oldestMedia(messages, { images: Infinity, pages: Infinity, bytes: bytes / 2 }, 1);
}

/** Returns all media but the newest that fit: unseen ones within the whole limit, those before them within a share of it. */
function oldestMedia(messages: readonly Message[], limits: Load, share: number): PlacedMedium[] {
  const unseen = unansweredStart(messages);
  const media = placedMedia(messages);
  const load: Load = { images: 0, pages: 0, bytes: 0 };
  const newestTooMuch = media.findLastIndex(({ medium, at }) => {
    add(load, loadOf(medium));
    return !isWithin(load, limits, at >= unseen ? 1 : share);
  });
  return media.slice(0, newestTooMuch + 1);
}

function limitsOf({ maxImages, contextWindow }: ModelInfo): Load {
  return { images: maxImages, pages: mostPdfPages(contextWindow), bytes: mostMediaBase64 };
}

function isWithin(load: Load, limits: Load, share: number): boolean {
  return (
    load.images <= limits.images * share && load.pages <= limits.pages * share && load.bytes <= limits.bytes * share
  );
}

/** The media counted so far in a session's messages. */
interface Seen {
  count: number;
  last: Message | undefined;
  total: Load;
}
const seenBy = new WeakMap<ContextMemory, Seen>();

/** Counts only new messages: a conversation only grows, or is rebuilt. */
function totalSoFar(messages: readonly Message[], memory: ContextMemory): Load {
  const known = seenBy.get(memory);
  const goesOn = known !== undefined && messages.length >= known.count && messages[known.count - 1] === known.last;
  const seen = goesOn ? known : { count: 0, last: undefined, total: { images: 0, pages: 0, bytes: 0 } };
  add(seen.total, totalOf(messages, seen.count));
  seen.count = messages.length;
  seen.last = messages.at(-1);
  if (!goesOn) seenBy.set(memory, seen);
  return seen.total;
}

function totalOf(messages: readonly Message[], from = 0): Load {
  const total: Load = { images: 0, pages: 0, bytes: 0 };
  for (let at = from; at < messages.length; at++)
    for (const medium of mediaOf(messages[at]!)) add(total, loadOf(medium));
  return total;
}

function add(sum: Load, { images, pages, bytes }: Load): void {
  sum.images += images;
  sum.pages += pages;
  sum.bytes += bytes;
}

const loads = new WeakMap<Medium, Load>();

function loadOf(medium: Medium): Load {
  let load = loads.get(medium);
  if (load !== undefined) return load;
  const { source } = medium;
  const bytes = source.type === "base64" ? source.data.length : 0;
  const pages = medium.type === "document" && source.type === "base64" ? pagesOf(source.data) : 0;
  load = { images: medium.type === "image" ? 1 : 0, pages, bytes };
  loads.set(medium, load);
  return load;
}
