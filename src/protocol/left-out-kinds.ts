/** Block kinds that a server refuses to take back: a notice in the conversation names the kinds, and they are no longer sent. */
import type { Message, NoticeMessage } from "./message.ts";
import type { ModelFailure } from "./model.ts";

export const leftOutNoticeName = "blocks_left_out";

export function isLeftOutNotice(message: Message): message is NoticeMessage {
  return message.type === "notice" && message.name === leftOutNoticeName;
}

/** The kinds that no model gets, and those that this one does not get. `thinking` includes redacted thinking. */
export function leftOutKinds(messages: readonly Message[], model?: string): ReadonlySet<string> {
  const kinds = messages
    .filter(isLeftOutNotice)
    .filter(({ data }) => data?.["model"] === undefined || data["model"] === model)
    .flatMap(({ data }): unknown[] => (Array.isArray(data?.["types"]) ? data["types"] : []));
  return new Set(kinds.filter((kind) => typeof kind === "string"));
}

/** Returns the index of the last such notice at `from` or later; -1 if there is none. */
export function lastLeftOutIndex(messages: readonly Message[], from: number): number {
  for (let at = messages.length - 1; at >= from; at--) if (isLeftOutNotice(messages[at]!)) return at;
  return -1;
}

/** Returns the kinds a refusal is about: the kinds in the conversation that it names, or else all that this version does not know. */
export function refusedKinds(messages: readonly Message[], { detail, message }: ModelFailure): string[] {
  const known = leftOutKinds(messages);
  const kinds = new Set<string>();
  for (const each of messages)
    if (each.type === "assistant" || each.type === "user")
      for (const block of each.content)
        if (block.type === "opaque" && typeof block.wire["type"] === "string" && !known.has(block.wire["type"]))
          kinds.add(block.wire["type"]);
  // The tags a server lists as expected are the ones it accepts.
  const words = new Set((detail ?? message).replace(/(any of the expected tags):.*/s, "$1").match(/[\w-]+/gu));
  const namedKinds = [...kinds].filter((kind) => words.has(kind));
  return namedKinds.length > 0 ? namedKinds : [...kinds];
}
