/** The standard `snipReplay`. The engine works without it: a program that wants snips passes it in. */
import type { SnipReplay } from "../protocol/index.ts";
import { isRecord } from "../lib/is-record.ts";
import { UsageError } from "../lib/usage-error.ts";
import { isMark } from "./snip-span.ts";

/**
 * Takes a snip's span out of the conversation: `createEngine({ snipReplay })`, then `engine.snip({ fromUuid, toUuid, reason })`. The other
 * messages stay the same objects in order. Records about earlier messages (thinking stripped, results cleared, an earlier snip) stay too.
 * Not executed if one of the two messages is missing, or they are out of order.
 */
export const snipReplay: SnipReplay = (span, messages) => {
  if (!isRecord(span) || !isListOfObjects(messages))
    throw new UsageError("snipReplay takes a span and a list of messages.");
  const { fromUuid, toUuid } = span;
  const from = messages.findIndex(({ uuid }) => uuid === fromUuid);
  const to = messages.findIndex(({ uuid }) => uuid === toUuid);
  if (from < 0 || to < from) return undefined;
  return messages.filter((message, at) => at < from || at > to || isMark(message));
};

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isRecord);
}
