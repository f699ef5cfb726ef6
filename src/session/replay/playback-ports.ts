/** Everything that the loop asks of the outside world, answered from the recording. */
import type { LoopPorts, QueuedPrompt, RetryPort } from "../../loop/ports.ts";
import { preparing, unexpectedFailure } from "../../loop/texts.ts";
import { defaultRetryPolicy, endlessRetries, retryAdvice } from "../../model/index.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { ContextInput, ContextPort, FitResult, ShrinkResult } from "../../protocol/context.ts";
import type { Attachment, Message } from "../../protocol/message.ts";
import type { BudgetPort } from "../../protocol/money.ts";
import type { TurnEndAnswer, TurnEndFeedback, TurnEndPort } from "../../protocol/turn-end.ts";
import { Pending } from "../../lib/steps.ts";
import { aborted, type Playback } from "./playback.ts";
import { endsTurn } from "./playback-tools.ts";
import { attachmentsOf, type Pass } from "./script.ts";

export type Fold = (messages: Message[], message: Message) => void;

export function replayContext(playback: Playback, fold: Fold): ContextPort {
  const folded = (input: ContextInput, records: readonly Message[]): Message[] => {
    const messages = [...input.messages];
    for (const record of records) fold(messages, record);
    return messages;
  };
  const shrunk = (input: ContextInput): ShrinkResult => {
    const records = playback.pass.recovered.splice(0);
    const transition = playback.pass.transition?.transition;
    const committed = transition?.reason === "collapse_drain_retry" ? transition.committed : 0;
    return { kind: "shrunk", messages: folded(input, records), records, beforeTokens: 1, afterTokens: 0, committed };
  };
  const isDrained = (): boolean => playback.pass.recovered.some(({ type }) => type === "collapse_commit");
  return {
    fit: (input, signal) =>
      told(async () => {
        if (playback.isInterruptedHere && playback.pass.fitted.length === 0) await aborted(signal);
        return fitted(playback, input, (records) => folded(input, records));
      }),
    drain: (input) => told(async () => shrunk(input)),
    compactReactively: (input, signal) =>
      told(async () => {
        const { recovered, transition } = playback.pass;
        if (recovered.length > 0 || transition?.transition.reason === "reactive_compact_retry") return shrunk(input);
        if (playback.isInterruptedHere) await aborted(signal);
        return { kind: "no_progress", why: "" };
      }),
    fitToolResult: async (content) => content,
    canDrain: isDrained,
    plainSummary(messages) {
      const isRepaired = playback.pass.messages.some(
        (message) => message.type === "notice" && message.name === "summary_repaired",
      );
      if (!isRepaired) return undefined;
      const records = playback.pass.recovered.splice(0);
      const plain = [...messages];
      for (const record of records) fold(plain, record);
      return { messages: plain, records };
    },
  };
}

/** Yields nothing and returns the answer. */
async function* told<R>(answer: () => Promise<R>): AsyncGenerator<never, R> {
  yield* [];
  return await answer();
}

const preparingFailed = unexpectedFailure(preparing, "");

function fitted(
  { pass, terminal }: Playback,
  input: ContextInput,
  folded: (records: Message[]) => Message[],
): FitResult {
  const { tracking, maxTokens } = input;
  if (terminal?.reason === "blocking_limit") return { kind: "full", estimatedTokens: 0, limitTokens: 0, tracking };
  if (
    terminal?.reason === "model_error" &&
    terminal.error.message.startsWith(preparingFailed) &&
    pass.attempts.length === 0
  )
    throw new Error(terminal.error.message.slice(preparingFailed.length));
  const records = pass.fitted.filter((message) => !isOfPreparing(message));
  return { kind: "ready", messages: folded(records), records, estimatedTokens: 0, maxTokens, tracking, applied: [] };
}

/** Messages that the loop itself writes while it prepares a request. */
function isOfPreparing(message: Message): boolean {
  return message.type === "user" && message.origin === "recovery";
}

export function replayTurnEnd(playback: Playback): TurnEndPort {
  return {
    *steps(_end, signal) {
      const { pass } = playback;
      const attachments = attachmentsOf(pass).filter(({ attachment }) => !isOfCalls(attachment));
      for (const message of [...pass.notices.splice(0), ...attachments]) yield message;
      if (playback.isInterruptedHere) yield new Pending(aborted(signal));
      return answerOf(playback);
    },
    register: () => undefined,
  };
}

function isOfCalls(attachment: Attachment): boolean {
  if (attachment.kind !== "hook_context") return false;
  return attachment.toolUseId !== undefined || attachment.event === "PostToolBatch";
}

const feedback = / hook feedback:\n/;

function answerOf({ pass, terminal }: Playback): TurnEndAnswer {
  const blocking: TurnEndFeedback[] = [];
  let prevented: TurnEndAnswer["prevented"] = null;
  for (const message of pass.messages) {
    if (message.type === "user" && message.origin === "stop_hook") {
      const text = blockText(message.content);
      const [event = "Stop"] = text.split(feedback, 1);
      blocking.push({ event, reason: text.slice(event.length).replace(feedback, "") });
    }
    if (message.type === "notice" && message.name === "stop_hook_cap") blocking.push({ event: "Stop", reason: "" });
    if (terminal?.reason !== "stop_hook_prevented" || message.type !== "attachment") continue;
    const { attachment } = message;
    if (attachment.kind === "hook_stopped_continuation")
      prevented = { event: attachment.event, message: attachment.message };
  }
  return { prevented, blocking };
}

export function replayBudget(playback: Playback): BudgetPort {
  const unasked = /^The budget could not be asked \((.*)\); no call was made\.$/s;
  return {
    admit({ maxTokens }) {
      const { terminal, pass } = playback;
      if (!playback.hasAttemptsLeft && terminal?.reason === "max_budget_usd" && pass.cut === null)
        return { admitted: false, message: "" };
      const why = terminal?.reason === "model_error" ? unasked.exec(terminal.error.message)?.[1] : undefined;
      if (why !== undefined && !playback.hasAttemptsLeft) throw new Error(why);
      const { cut } = pass;
      if (cut === null) return { admitted: true, ticket: "", maxTokens, lowered: false };
      return { admitted: true, ticket: "", maxTokens: cut.maxTokens, lowered: cut.isLowered };
    },
    settle: () => playback.lastAttempt?.end?.costUsd ?? 0,
  };
}

/** Uses today's retry advice with the recorded retry counts, which some failures undercut. Chance only affects how long it waits. */
export function replayRetry(recorded: readonly number[]): RetryPort {
  const maxRetries = Math.max(0, ...recorded.filter((number) => number !== endlessRetries));
  const policy = { ...defaultRetryPolicy, maxRetries, isEndless: recorded.includes(endlessRetries) };
  return { advise: (failure, attempt, random, endless) => retryAdvice(failure, attempt, random, policy, endless) };
}

export function replayQueue(playback: Playback): LoopPorts["queue"] {
  const joined = (): Pass["joined"] => (endsTurn(playback) ? [] : playback.pass.joined);
  return {
    take: () => joined().flatMap(queuedIn),
    // News follows the last prompt, and is replayed with the files that this prompt names.
    async named({ uuid }) {
      const behind = joined().slice(joined().findIndex((each) => queuedIn(each)[0]?.uuid === uuid) + 1);
      const end = behind.findIndex((each) => queuedIn(each).length > 0);
      return behind.slice(0, end === -1 ? undefined : end);
    },
    settle: () => undefined,
    news() {
      if (joined().some((each) => queuedIn(each).length > 0) || endsTurn(playback)) return [];
      return attachmentsOf(playback.pass).flatMap(({ attachment }) => (isOfCalls(attachment) ? [] : [attachment]));
    },
  };
}

function queuedIn(message: Pass["joined"][number]): QueuedPrompt[] {
  if (message.type !== "attachment" || message.attachment.kind !== "queued_command") return [];
  return [{ uuid: message.attachment.sourceUuid, prompt: message.attachment.prompt }];
}
