/** Staged summaries, and where their spans are in a conversation. */
import type { Message } from "../protocol/index.ts";
import { mustBeKept } from "./spans.ts";
import { beginsPart, cutPoints } from "./trajectories.ts";

/** Plain JSON, because a resumed session continues with it. */
export interface StagedCollapse {
  /** The uuids of the first and last message of the span that are sent. */
  from: string;
  to: string;
  /** How many messages of the span are sent. */
  count: number;
  summary: string;
}

export interface SpanPlace {
  staged: StagedCollapse;
  /** `messages.slice(start, end)`. */
  start: number;
  end: number;
}

/** The longest summary, in characters; `from` and `to` are uuids. */
export const longestSummary = 16_000;
const longestUuid = 100;

/** Reads staged summaries from a transcript. The transcript is untrusted data: invalid entries are dropped. */
export function readStaged(value: unknown, maxCount: number): StagedCollapse[] {
  if (!Array.isArray(value)) return [];
  return (value as unknown[]).filter(isStaged).slice(-maxCount).map(copyStaged);
}

function isStaged(value: unknown): value is StagedCollapse {
  if (typeof value !== "object" || value === null) return false;
  const { from, to, count, summary } = value as Record<string, unknown>;
  const isUuid = (uuid: unknown) => typeof uuid === "string" && uuid !== "" && uuid.length <= longestUuid;
  if (!isUuid(from) || !isUuid(to) || !Number.isSafeInteger(count) || Number(count) < 1) return false;
  return typeof summary === "string" && summary.trim() !== "" && summary.length <= longestSummary;
}

function copyStaged({ from, to, count, summary }: StagedCollapse): StagedCollapse {
  return { from, to, count, summary };
}

/** Counts the messages that are sent. */
export function countParts(messages: readonly Message[]): number {
  return messages.reduce((count, message) => count + (beginsPart(message) ? 1 : 0), 0);
}

/**
 * Returns where the spans are still unchanged, oldest first: whole turns, with all their messages, and nothing among them that must be
 * kept. A span that was rewritten since has no place; neither has a span that overlaps an older one.
 */
export function findPlaces(messages: readonly Message[], staged: readonly StagedCollapse[]): SpanPlace[] {
  if (staged.length === 0) return [];
  const wanted = new Set(staged.flatMap(({ from, to }) => [from, to]));
  const indexes = new Map<string, number>();
  for (const [index, { uuid }] of messages.entries()) if (wanted.has(uuid)) indexes.set(uuid, index);
  const points = new Set([0, ...cutPoints(messages), messages.length]);
  const places = staged
    .map((each) => findPlace(messages, each, indexes, points))
    .filter((place) => place !== undefined)
    .toSorted((one, other) => one.start - other.start);
  let free = 0;
  return places.filter(({ start, end }) => {
    if (start < free) return false;
    free = end;
    return true;
  });
}

function findPlace(
  messages: readonly Message[],
  staged: StagedCollapse,
  indexes: ReadonlyMap<string, number>,
  points: ReadonlySet<number>,
): SpanPlace | undefined {
  const start = indexes.get(staged.from);
  const last = indexes.get(staged.to);
  if (start === undefined || last === undefined || last < start) return undefined;
  let end = last + 1;
  // Marks and notes belong to the message they follow.
  while (end < messages.length && !beginsPart(messages[end]!)) end++;
  if (!points.has(start) || !points.has(end)) return undefined;
  const span = messages.slice(start, end);
  if (span.some(mustBeKept) || countParts(span) !== staged.count) return undefined;
  return { staged, start, end };
}
