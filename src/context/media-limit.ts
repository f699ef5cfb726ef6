/**
 * Limits the images, pages and bytes in a request. If a conversation exceeds a limit, its oldest media are replaced by text. One step
 * removes enough to make room for as many new ones before the next step, because each step costs the prompt cache and the thinking bound to
 * what has changed.
 */
import { mostMediaBase64, mostPdfPages } from "../protocol/media-limits.ts";
import type { ContextEvent, Message, ModelInfo } from "../protocol/index.ts";
import type { Steps } from "../lib/steps.ts";
import type { Change, ContextMemory, Pass } from "./layer.ts";
import { newNotice } from "../protocol/new-record.ts";
import { mediaOf, placedMedia, unansweredStart, type PlacedMedium } from "./media.ts";
import { leaveOutMedia } from "./media-rewrite.ts";
import type { Medium } from "./media-text.ts";
import { pdfPageCount } from "./media-tokens.ts";

interface MediaLoad {
  images: number;
  pages: number;
  /** Characters of base64. */
  bytes: number;
}

/** The share of the limit that old media may keep. */
const keptShare = 0.5;
const leftOutReason =
  "a request takes only so many, so the oldest are left out; call the tool again if you still need it";

export function* limitMedia(pass: Pass): Steps<ContextEvent, Change | undefined> {
  const { messages, input, world } = pass;
  const limits = mediaLimits(input.model);
  if (isWithinLimits(totalSoFar(messages, world.memory), limits, 1)) return undefined;
  // The running total may include media left out since: count everything again only when the total is too high.
  totalsByMemory.delete(world.memory);
  if (isWithinLimits(totalSoFar(messages, world.memory), limits, 1)) return undefined;
  const oldMedia = oldestMedia(messages, limits, keptShare);
  const made = leaveOutMedia(pass, oldMedia, leftOutReason, "auto");
  if (made === undefined) return undefined;
  const text = `Older images and documents (${oldMedia.length}) were left out of the conversation: a request takes up to ${limits.images} images, ${limits.pages} pages and ${Math.round(limits.bytes / 1e6)} MB of them.`;
  yield newNotice(world, "info", "media_left_out", text);
  return { messages: made.messages, records: made.records, tokens: made.afterTokens, tracking: input.tracking };
}

/** After the API said the request has too many bytes: returns media with at least half of the media's bytes. */
export function mediaForHalf(messages: readonly Message[]): PlacedMedium[] {
  const { bytes } = totalLoad(messages);
  return oldestMedia(messages, { images: Infinity, pages: Infinity, bytes: bytes / 2 }, 1);
}

/** Returns all media but the newest that fit: unseen ones within the whole limit, those before them within a share of it. */
function oldestMedia(messages: readonly Message[], limits: MediaLoad, share: number): PlacedMedium[] {
  const unseen = unansweredStart(messages);
  const media = placedMedia(messages);
  const load: MediaLoad = { images: 0, pages: 0, bytes: 0 };
  const newestTooMuch = media.findLastIndex(({ medium, at }) => {
    addLoad(load, mediumLoad(medium));
    return !isWithinLimits(load, limits, at >= unseen ? 1 : share);
  });
  return media.slice(0, newestTooMuch + 1);
}

function mediaLimits({ maxImages, contextWindow }: ModelInfo): MediaLoad {
  return { images: maxImages, pages: mostPdfPages(contextWindow), bytes: mostMediaBase64 };
}

function isWithinLimits(load: MediaLoad, limits: MediaLoad, share: number): boolean {
  return (
    load.images <= limits.images * share && load.pages <= limits.pages * share && load.bytes <= limits.bytes * share
  );
}

/** The media counted so far in a session's messages. */
interface RunningTotal {
  count: number;
  last: Message | undefined;
  total: MediaLoad;
}
const totalsByMemory = new WeakMap<ContextMemory, RunningTotal>();

/** Counts only new messages: a conversation only grows, or is rebuilt. */
function totalSoFar(messages: readonly Message[], memory: ContextMemory): MediaLoad {
  const known = totalsByMemory.get(memory);
  const goesOn = known !== undefined && messages.length >= known.count && messages[known.count - 1] === known.last;
  const seen = goesOn ? known : { count: 0, last: undefined, total: { images: 0, pages: 0, bytes: 0 } };
  addLoad(seen.total, totalLoad(messages, seen.count));
  seen.count = messages.length;
  seen.last = messages.at(-1);
  if (!goesOn) totalsByMemory.set(memory, seen);
  return seen.total;
}

function totalLoad(messages: readonly Message[], from = 0): MediaLoad {
  const total: MediaLoad = { images: 0, pages: 0, bytes: 0 };
  for (let at = from; at < messages.length; at++)
    for (const medium of mediaOf(messages[at]!)) addLoad(total, mediumLoad(medium));
  return total;
}

function addLoad(sum: MediaLoad, { images, pages, bytes }: MediaLoad): void {
  sum.images += images;
  sum.pages += pages;
  sum.bytes += bytes;
}

const loads = new WeakMap<Medium, MediaLoad>();

function mediumLoad(medium: Medium): MediaLoad {
  let load = loads.get(medium);
  if (load !== undefined) return load;
  const { source } = medium;
  const bytes = source.type === "base64" ? source.data.length : 0;
  const pages = medium.type === "document" && source.type === "base64" ? pdfPageCount(source.data) : 0;
  load = { images: medium.type === "image" ? 1 : 0, pages, bytes };
  loads.set(medium, load);
  return load;
}
