/** Blocks of kinds that a server refuses to take back: a notice in the conversation names the kinds, and they are not sent any more. */
import type { Message, NoticeMessage } from "./message.ts";
import type { ModelFailure } from "./model.ts";

export const leftOutName = "blocks_left_out";

function isMark(message: Message): message is NoticeMessage {
  return message.type === "notice" && message.name === leftOutName;
}

export function leftOutIn(messages: readonly Message[]): ReadonlySet<string> {
  const kinds = messages
    .filter(isMark)
    .flatMap(({ data }): unknown[] => (Array.isArray(data?.["types"]) ? data["types"] : []));
  return new Set(kinds.filter((kind) => typeof kind === "string"));
}

/** Index of the last notice of it at `from` or later; -1 for none. */
export function lastLeftOut(messages: readonly Message[], from: number): number {
  for (let at = messages.length - 1; at >= from; at--) if (isMark(messages[at]!)) return at;
  return -1;
}

/** The kinds that such a refusal is about: those of the conversation that it names, else all that this version does not know. */
export function refusedKinds(messages: readonly Message[], { detail, message }: ModelFailure): string[] {
  const known = leftOutIn(messages);
  const kinds = new Set<string>();
  for (const each of messages)
    if (each.type === "assistant" || each.type === "user")
      for (const block of each.content)
        if (block.type === "opaque" && typeof block.wire["type"] === "string" && !known.has(block.wire["type"]))
          kinds.add(block.wire["type"]);
  // Not what would have been taken.
  const words = new Set((detail ?? message).replace(/(any of the expected tags):.*/s, "$1").match(/[\w-]+/gu));
  const named = [...kinds].filter((kind) => words.has(kind));
  return named.length > 0 ? named : [...kinds];
}
