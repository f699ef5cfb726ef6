/** Everything that the loop asks of the outside world, answered from the recording. */
import type { LoopPorts, QueuedPrompt, RetryPort } from "../../loop/ports.ts";
import { preparingRequest, unexpectedFailure } from "../../loop/texts.ts";
import { defaultRetryPolicy, endlessRetries, retryAdvice } from "../../model/index.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { ContextInput, ContextPort, FitResult, ShrinkResult } from "../../protocol/context.ts";
import type { Attachment, Message } from "../../protocol/message.ts";
import type { BudgetPort } from "../../protocol/money.ts";
import type { TurnEndAnswer, TurnEndFeedback, TurnEndPort } from "../../protocol/turn-end.ts";
import { Pending } from "../../lib/steps.ts";
import { whenAborted, type Playback } from "./playback.ts";
import { endsTurn } from "./playback-tools.ts";
import { attachmentsOf, type Pass } from "./passes.ts";

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
      withoutEvents(async () => {
        if (playback.isInterruptedHere && playback.pass.fitted.length === 0) await whenAborted(signal);
        return replayFit(playback, input, (records) => folded(input, records));
      }),
    drain: (input) => withoutEvents(async () => shrunk(input)),
    compactReactively: (input, signal) =>
      withoutEvents(async () => {
        const { recovered, transition } = playback.pass;
        if (recovered.length > 0 || transition?.transition.reason === "reactive_compact_retry") return shrunk(input);
        if (playback.isInterruptedHere) await whenAborted(signal);
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
async function* withoutEvents<R>(answer: () => Promise<R>): AsyncGenerator<never, R> {
  yield* [];
  return await answer();
}

const preparingFailed = unexpectedFailure(preparingRequest, "");

function replayFit(
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
  const records = pass.fitted.filter((message) => !isPreparingMessage(message));
  return { kind: "ready", messages: folded(records), records, estimatedTokens: 0, maxTokens, tracking, applied: [] };
}

/** Messages that the loop itself writes while it prepares a request. */
function isPreparingMessage(message: Message): boolean {
  return message.type === "user" && message.origin === "recovery";
}

export function replayTurnEnd(playback: Playback): TurnEndPort {
  return {
    *steps(_end, signal) {
      const { pass } = playback;
      const attachments = attachmentsOf(pass).filter(({ attachment }) => !isCallAttachment(attachment));
      for (const message of [...pass.notices.splice(0), ...attachments]) yield message;
      if (playback.isInterruptedHere) yield new Pending(whenAborted(signal));
      return turnEndAnswer(playback);
    },
    register: () => undefined,
  };
}

function isCallAttachment(attachment: Attachment): boolean {
  if (attachment.kind !== "hook_context") return false;
  return attachment.toolUseId !== undefined || attachment.event === "PostToolBatch";
}

const feedbackPattern = / hook feedback:\n/;

function turnEndAnswer({ pass, terminal }: Playback): TurnEndAnswer {
  const blocking: TurnEndFeedback[] = [];
  let prevented: TurnEndAnswer["prevented"] = null;
  let outOfTries: string | undefined;
  for (const message of pass.messages) {
    if (message.type === "user" && message.origin === "stop_hook") {
      const text = blockText(message.content);
      const [event = "Stop"] = text.split(feedbackPattern, 1);
      blocking.push({ event, reason: text.slice(event.length).replace(feedbackPattern, "") });
    }
    if (message.type === "notice" && message.name === "stop_hook_cap") blocking.push({ event: "Stop", reason: "" });
    if (message.type === "notice" && message.name === "out_of_tries") {
      blocking.push({ event: "Stop", reason: "" });
      outOfTries = message.text;
    }
    if (terminal?.reason !== "stop_hook_prevented" || message.type !== "attachment") continue;
    const { attachment } = message;
    if (attachment.kind === "hook_stopped_continuation")
      prevented = { event: attachment.event, message: attachment.message };
  }
  return { prevented, blocking, ...(outOfTries === undefined ? {} : { outOfTries }) };
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
  const joined = (): Pass["joinedMessages"] => (endsTurn(playback) ? [] : playback.pass.joinedMessages);
  return {
    take: () => joined().flatMap(queuedPrompts),
    // News follows the last prompt, and is replayed with the files that this prompt names.
    async named({ uuid }) {
      const behind = joined().slice(joined().findIndex((each) => queuedPrompts(each)[0]?.uuid === uuid) + 1);
      const end = behind.findIndex((each) => queuedPrompts(each).length > 0);
      return behind.slice(0, end === -1 ? undefined : end);
    },
    settle: () => undefined,
    news() {
      if (joined().some((each) => queuedPrompts(each).length > 0) || endsTurn(playback)) return [];
      return attachmentsOf(playback.pass).flatMap(({ attachment }) =>
        isCallAttachment(attachment) ? [] : [attachment],
      );
    },
  };
}

function queuedPrompts(message: Pass["joinedMessages"][number]): QueuedPrompt[] {
  if (message.type !== "attachment" || message.attachment.kind !== "queued_command") return [];
  return [{ uuid: message.attachment.sourceUuid, prompt: message.attachment.prompt }];
}
