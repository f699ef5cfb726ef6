/** Last stage, if there were no calls or a tool has ended the work: recovers from an overflow, or lets the stop hooks judge the end. */
import { lastAnswerText } from "../protocol/answers.ts";
import type { QueryEvent } from "../protocol/event.ts";
import type { ShrinkResult } from "../protocol/context.ts";
import type { Message } from "../protocol/message.ts";
import { flatMapEvents, type Steps } from "../lib/steps.ts";
import { turnEndPass } from "../protocol/turn-end.ts";
import { runBoundedGenerator, runBoundedSteps, hookLimitMs, unansweredReason, type Unanswered } from "./bounded.ts";
import { recoveriesLeft } from "./decide.ts";
import { warning } from "./drafts.ts";
import type { Draft, Fact, FactOf } from "./fact.ts";
import { contextInput } from "./prepare.ts";
import { withMediaFileNames } from "./refused-media.ts";
import { recordMessage, recordAndYield, type Run } from "./run.ts";
import { abortedFact } from "./sampling.ts";
import type { State } from "./state.ts";

export function* recover(state: State, overflow: FactOf<"overflowed">, run: Run): Steps<QueryEvent, Fact> {
  return unlessAborted(yield* makeRoom(state, overflow, run), run);
}

export function* endTurn(state: State, answer: AnswerEnd, run: Run): Steps<QueryEvent, Fact> {
  return unlessAborted(yield* runTurnEnd(state, answer, run), run);
}

type SettledFact = Extract<Fact, { messages: readonly Message[] }>;

function unlessAborted(fact: SettledFact, run: Run): Fact {
  return run.cancel.cause === null ? fact : abortedFact(run, fact);
}

function* makeRoom(state: State, overflow: FactOf<"overflowed">, run: Run): Steps<QueryEvent, SettledFact> {
  const { ports } = run;
  const input = contextInput(state, run);
  for (const recovery of recoveriesLeft(state, overflow)) {
    if (recovery === "drain" && !ports.context.canDrain(state.messages)) continue;
    const wait = {
      key: `${input.key}.${recovery}`,
      on: "compaction" as const,
      name: recovery,
      limitMs: run.limits.compactionMs,
    };
    const shrink = yield* runBoundedGenerator(run, wait, (signal) =>
      recovery === "drain"
        ? ports.context.drain(input, signal)
        : ports.context.compactReactively({ ...input, ...refusedRequest(overflow) }, signal),
    );
    if (run.cancel.cause !== null) return overflow;
    if (shrink.ok && hasMadeProgress(shrink.value))
      return yield* recordShrunk(state, overflow, run, recovery, shrink.value);
  }
  if (overflow.cut !== undefined) return overflow.cut;
  const { media, failure } = overflow;
  const explainedFailure = media ? withMediaFileNames(failure, state.messages) : failure;
  return { kind: "unrecovered", media, failure: explainedFailure, messages: state.messages };
}

function refusedRequest({ media, actualTokens, failure: { status, detail, tokens } }: FactOf<"overflowed">) {
  // A server that counts tokens does not mean bytes, even with status 413.
  const isSizeRefusal = status !== undefined && tokens === undefined;
  const refusal = { ...(isSizeRefusal ? { status } : {}), ...(detail === undefined ? {} : { detail }) };
  return { media, refusal, ...(actualTokens === undefined ? {} : { actualTokens }) };
}

type Shrunk = Extract<ShrinkResult, { kind: "shrunk" }>;

/** Progress is judged by the result, not by the attempt. */
function hasMadeProgress(result: ShrinkResult): result is Shrunk {
  return result.kind === "shrunk" && result.afterTokens < result.beforeTokens;
}

function* recordShrunk(
  state: State,
  overflow: FactOf<"overflowed">,
  run: Run,
  recovery: "drain" | "compact",
  result: Shrunk,
): Steps<QueryEvent, SettledFact> {
  yield* recordAndYield(run, result.records);
  const { media, failure } = overflow;
  const common = { media, failure, messages: result.messages };
  const before = state.autoCompactTracking;
  const taskTokensLost = (before.taskTokensLost ?? 0) + (result.taskTokensLost ?? 0);
  const trackingWithLoss = { ...before, ...(taskTokensLost === 0 ? {} : { taskTokensLost }) };
  if (recovery === "drain")
    return { kind: "drained", committed: result.committed, tracking: trackingWithLoss, ...common };
  const tracking = { ...trackingWithLoss, lastCompactedTurn: state.turnCount, consecutiveFailures: 0 };
  return { kind: "compacted", tracking, ...common };
}

type AnswerEnd = Pick<FactOf<"answered">, "empty" | "stopReason">;

function* runTurnEnd(state: State, { empty, stopReason }: AnswerEnd, run: Run): Steps<QueryEvent, FactOf<"turn_end">> {
  const hookMs = hookLimitMs(run, "Stop", "SubagentStop", "TaskCompleted", "TeammateIdle");
  const limitMs = Math.max(run.limits.turnEndMs, hookMs);
  const { agentId, model } = state.toolUseContext;
  const end = {
    messages: state.messages,
    model,
    agentId,
    stopHookActive: state.stopHookActive,
    lastAssistantMessage: lastAnswerText(state.messages),
    hookMs,
  };
  const wait = { key: `t${state.iteration}`, on: "hook" as const, name: "turn end", limitMs };
  const recordedMessages: Message[] = [];
  const steps = runBoundedSteps(run, wait, (signal) => run.ports.turnEnd.steps(end, signal));
  const answer = yield* recordEvents(steps, run, recordedMessages);
  const missing = missingPart(stopReason, run);
  const warnings: Draft[] =
    missing === undefined ? [] : [warning("answer_unfinished", `${missing} Send a message to go on.`)];
  if (!answer.ok && answer.why !== "cancelled") warnings.push(failedStepsWarning(answer));
  const { prevented, blocking, outOfTries } = answer.ok ? answer.value : turnEndPass;
  const messages = recordedMessages.length === 0 ? state.messages : [...state.messages, ...recordedMessages];
  const verdicts = { prevented, blocking, ...(outOfTries === undefined ? {} : { outOfTries }) };
  return { kind: "turn_end", messages, ...verdicts, warnings, empty: empty && missing === undefined };
}

/** Describes what is missing from an answer without calls whose stop reason says it does not end here. */
function missingPart(stopReason: AnswerEnd["stopReason"], { limits }: Run): string | undefined {
  if (stopReason === "pause_turn")
    return `The server has paused this answer ${limits.pausedTurns + 1} times, and it is not finished.`;
  // Some gateways drop calls that they cannot translate.
  return stopReason === "tool_use" ? "The answer says that it calls a tool, and no call came with it." : undefined;
}

function failedStepsWarning(answer: Unanswered): Draft {
  const text = `The steps at the end of the turn failed (${unansweredReason(answer)}); the turn ends as if they had passed.`;
  return warning("hook_failed", text);
}

/** Records each yielded message before it joins the conversation. A message that could not be recorded is not yielded. */
function* recordEvents<R>(steps: Steps<QueryEvent, R>, run: Run, recordedMessages: Message[]): Steps<QueryEvent, R> {
  return yield* flatMapEvents(steps, function* (event) {
    if ("uuid" in event) {
      // Abandons the steps where they are: later messages could not be recorded either.
      if (!(yield* recordMessage(run, event))) throw new Error("The end of the turn could not be recorded.");
      recordedMessages.push(event);
    }
    yield event;
  });
}
