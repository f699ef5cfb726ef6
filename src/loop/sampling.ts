/** State that one pass of the sample stage carries from attempt to attempt, and how a response is closed. */
import type { QueryEvent } from "../protocol/event.ts";
import type { AssistantMessage, Message, ResponseEndMessage } from "../protocol/message.ts";
import type { Failure } from "../protocol/stop.ts";
import type { Steps } from "../lib/steps.ts";
import type { Attempt } from "./attempt.ts";
import type { Fact, FactOf, Sampled } from "./fact.ts";
import type { Tries } from "./next-attempt.ts";
import { recordMessage, type Run } from "./run.ts";

export interface Sampling extends Sampled {
  /** The estimate for the request as it was prepared. */
  estimatedTokens: number;
  tries: Tries;
  /** Messages this pass has shown and not taken back, across pauses. */
  shownMessages: AssistantMessage[];
  paused: boolean;
  /** The id of the paused response that the next one continues. */
  continuedMessageId: string | null;
}

export function* closeResponse(
  run: Run,
  sampling: Sampling,
  tried: Attempt,
  end: ResponseEndMessage | null,
  tombstone: Message | null = null,
): Steps<QueryEvent, void> {
  if (tried.blocks.length > 0 || tried.outcome.ok) run.consumed.seen.push(...run.consumed.waiting.splice(0));
  sampling.shownMessages.push(...tried.blocks);
  // Recorded first, because the usage is already booked: if the ledger were saved while a client handles an event, the usage would
  // be counted twice.
  const isClosed = end !== null && (yield* recordMessage(run, end));
  // A single `concat`: pushing would grow the list by half, and it would keep that size while waiting for the next answer.
  sampling.messages = isClosed ? sampling.messages.concat(tried.blocks, end) : sampling.messages.concat(tried.blocks);
  if (tombstone !== null) yield tombstone;
  if (isClosed) yield end;
}

export function abortedFact(run: Run, sampling: { messages: readonly Message[] }): Fact {
  return { kind: "aborted", where: "streaming", cause: run.cancel.cause ?? "user", messages: sampling.messages };
}

export function failedFact({ messages }: Sampling, failure: Failure): FactOf<"failed"> {
  return { kind: "failed", messages, failure };
}

/** What a pass leaves behind, however it ends. */
export function sampledFields({ messages, model, fallbacksUsed, outputTokens }: Sampling): Sampled {
  return { messages, model, fallbacksUsed, outputTokens };
}
