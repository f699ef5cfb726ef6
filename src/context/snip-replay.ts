/** The usual `snipReplay`. The engine works without it: only who wants snips hands it over. */
import type { SnipReplay } from "../protocol/index.ts";
import { isRecord } from "../lib/is-record.ts";
import { UsageError } from "../lib/usage-error.ts";
import { isMark } from "./snip-span.ts";

/**
 * Takes a snip's span out of the conversation: `createEngine({ snipReplay })`, then `engine.snip({ fromUuid, toUuid, reason })`.
 * All else stays, the same objects in order. What says something of the messages before it (thinking stripped, results
 * cleared, an earlier snip) stays too. Not executed where one of the two messages is not there, or they are not in order.
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
