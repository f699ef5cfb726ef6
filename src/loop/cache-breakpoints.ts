/** Chooses the cache breakpoints in a request's messages: at most three, because one is left for the system prompt. */
import type { Message, ResultsClearedMessage } from "../protocol/message.ts";
import type { ApiMessage } from "../protocol/model.ts";

/**
 * Returns ascending indexes into `output`. Usually these are the last user message and the one before it: a cache read then always finds
 * the entry the last call wrote, however many blocks the turn had. If results were cleared since then, the earlier messages have changed,
 * so two other breakpoints replace the second: where the unchanged part ends, and where the unchanged part will end after the next clearing.
 */
export function findCacheBreakpoints(output: readonly ApiMessage[], messages: readonly Message[]): number[] {
  const tail = lastUserIndex(output, output.length);
  const cleared = clearedSinceResponse(messages);
  if (cleared === undefined) return ascending([lastUserIndex(output, tail), tail]);
  const { record, earlier } = cleared;
  const unchanged =
    earlier === undefined
      ? lastUserIndex(output, resultIndex(output, record.cleared[0]))
      : resultIndex(output, earlier.cleared.at(-1));
  return ascending([unchanged, resultIndex(output, record.cleared.at(-1)), tail]);
}

/** Returns those of the indexes that exist. */
function ascending(indexes: readonly number[]): number[] {
  return [...new Set(indexes)].filter((index) => index >= 0).toSorted((one, other) => one - other);
}

/** Returns a negative number if there is none before `end`. */
function lastUserIndex(output: readonly ApiMessage[], end: number): number {
  let at = end - 1;
  while (at >= 0 && output[at]!.role !== "user") at--;
  return at;
}

type ClearedResult = ResultsClearedMessage["cleared"][number];

function resultIndex(output: readonly ApiMessage[], cleared: ClearedResult | undefined): number {
  return output.findIndex(({ content }) =>
    content.some((block) => block.type === "tool_result" && block.tool_use_id === cleared?.toolUseId),
  );
}

/** Returns the record of results that were cleared since the last response, and the record before it. */
function clearedSinceResponse(
  messages: readonly Message[],
): { record: ResultsClearedMessage; earlier: ResultsClearedMessage | undefined } | undefined {
  const at = messages.findLastIndex(({ type }) => type === "results_cleared" || type === "assistant");
  const record = messages[at];
  if (record?.type !== "results_cleared") return undefined;
  const isCleared = (message: Message) => message.type === "results_cleared";
  return { record, earlier: messages.slice(0, at).findLast(isCleared) };
}
