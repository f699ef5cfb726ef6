/** Where the cache breakpoints of a request's messages fall: at most three, one is left for the system prompt. */
import type { Message, ResultsClearedMessage } from "../protocol/message.ts";
import type { ApiMessage } from "../protocol/model.ts";

/**
 * Ascending indexes into `output`. A moving tail, and the tail before it: a read then always finds the entry the last call
 * wrote, however many blocks the turn had. Where results were left out since, the tail before is another than it was, and two
 * others stand in its place: where the unchanged part ends, and where this one's unchanged part will end the next time.
 */
export function breakpoints(output: readonly ApiMessage[], messages: readonly Message[]): number[] {
  const tail = lastUser(output, output.length);
  const cleared = clearedSinceResponse(messages);
  if (cleared === undefined) return lastTwo(lastUser(output, tail), tail);
  const { record, earlier } = cleared;
  const unchanged =
    earlier === undefined ? beforeResult(output, record.cleared[0]) : resultAt(output, earlier.cleared.at(-1));
  return ascending([unchanged, resultAt(output, record.cleared.at(-1)), tail]);
}

/** Those that there are. */
function lastTwo(before: number, tail: number): number[] {
  if (before >= 0) return [before, tail];
  return tail >= 0 ? [tail] : [];
}

function ascending(indexes: readonly number[]): number[] {
  return [...new Set(indexes)].filter((index) => index >= 0).toSorted((one, other) => one - other);
}

/** -1 where there is none before `end`. */
function lastUser(output: readonly ApiMessage[], end: number): number {
  let at = end - 1;
  while (at >= 0 && output[at]!.role !== "user") at--;
  return at;
}

type Cleared = ResultsClearedMessage["cleared"][number];

function resultAt(output: readonly ApiMessage[], cleared: Cleared | undefined): number {
  const isIt = (id: string) => id === cleared?.toolUseId;
  return output.findIndex(({ content }) =>
    content.some((block) => block.type === "tool_result" && isIt(block.tool_use_id)),
  );
}

function beforeResult(output: readonly ApiMessage[], cleared: Cleared | undefined): number {
  return lastUser(output, resultAt(output, cleared));
}

/** The record of what no response has been sent without, and the one before it. */
function clearedSinceResponse(
  messages: readonly Message[],
): { record: ResultsClearedMessage; earlier: ResultsClearedMessage | undefined } | undefined {
  const at = messages.findLastIndex(({ type }) => type === "results_cleared" || type === "assistant");
  const record = messages[at];
  if (record?.type !== "results_cleared") return undefined;
  const isCleared = (message: Message) => message.type === "results_cleared";
  return { record, earlier: messages.slice(0, at).findLast(isCleared) };
}
