/**
 * The two generators of the loop. `query` opens and closes a run; `queryLoop` goes through the stages and obeys the verdicts of `decide`.
 * One user turn goes in, events come out, and one Terminal is returned. Start reading here, then read `decide.ts`.
 */
import { errorText } from "../lib/error-text.ts";
import { lastAnswerText, lastFailureText } from "../protocol/answers.ts";
import type { QueryEvent } from "../protocol/event.ts";
import { toSDKError } from "../protocol/sdk-error.ts";
import type { Failure, Terminal } from "../protocol/stop.ts";
import { ignoreRejection, fireAndForget } from "../lib/fire-and-forget.ts";
import { withoutUndefined } from "../lib/without-undefined.ts";
import { rethrowIfLeft, toAsyncGenerator, waitFor, type Steps } from "../lib/steps.ts";
import { act } from "./act.ts";
import { createCancel, type Cancel } from "./cancel.ts";
import { decide, type Verdict } from "./decide.ts";
import { interruption, warning } from "./drafts.ts";
import type { Fact } from "./fact.ts";
import type { LiveRun } from "./live-run.ts";
import { defaultLimits, type LoopConfig, type LoopLimits, type LoopPorts } from "./ports.ts";
import { prepare } from "./prepare.ts";
import { recordMessage, createRun, internalFailure, mint, recordAndYield, type Run } from "./run.ts";
import { recordNote, recordRunBegin } from "./run-note.ts";
import type { RunMemory } from "./run-memory.ts";
import { sample } from "./sample.ts";
import { endTurn, recover } from "./settle.ts";
import type { State } from "./state.ts";

export interface QueryParams {
  /** From `createState`. Its messages end with the prompt to be answered, already recorded. */
  state: State;
  config: LoopConfig;
  ports: LoopPorts;
  limits?: Partial<LoopLimits>;
  /** Cancels the run. Owned by the caller. */
  cancel?: Cancel;
  /** What earlier runs of this conversation learned. */
  memory?: RunMemory;
}

/** Runs one user turn. However the generator ends (return, throw, the consumer's `return()`), everything it opened is closed. */
export function query(params: QueryParams): AsyncGenerator<QueryEvent, Terminal> {
  return toAsyncGenerator(querySteps(params));
}

/** Does the same as `query`, for a caller that drives the steps itself. */
export function* querySteps(params: QueryParams): Steps<QueryEvent, Terminal> {
  const { ports, config } = params;
  const run = createRun(
    ports,
    config,
    { ...defaultLimits, ...withoutUndefined(params.limits ?? {}) },
    params.cancel ?? createCancel(),
    params.state.messages,
    params.memory,
  );
  fireAndForget(() => ports.trace?.spanStart("query", { sessionId: config.sessionId }));
  recordRunBegin(run, params.state);
  let terminal: Terminal | null = null;
  try {
    terminal = yield* queryLoop(params.state, run);
    return terminal;
  } finally {
    try {
      yield* closeRun(run, terminal === null);
    } finally {
      recordNote(run, { at: "end", terminal, cause: run.cancel.cause });
      const reason = terminal?.reason ?? "abandoned";
      fireAndForget(() => ports.trace?.spanEnd("query", { sessionId: config.sessionId, reason }));
    }
  }
}

function* queryLoop(initial: State, run: LiveRun): Steps<QueryEvent, Terminal> {
  let state = initial;
  let fact: Fact = { kind: "opened" };
  for (;;) {
    try {
      fact = yield* stageAfter(fact, state, run);
    } catch (error) {
      rethrowIfLeft(error);
      fact = exceptionFact(error, state, run);
    }
    if (run.fault !== null) fact = unrecordedFact(run.fault, fact, state);
    if (isFailedOrAborted(fact)) yield* settleBatch(fact, run);
    const decided = decide(state, fact, run.limits);
    if (decided.go === "stop") run.isConcluded = true;
    const isSilent = decided.emit.length === 0 && run.fault === null;
    const verdict = isSilent ? decided : yield* recordVerdict(decided, state, run);
    state = verdict.state;
    if (verdict.go === "stop") {
      yield* runStopFailureHooks(run, state, verdict.terminal, fact);
      yield* yieldSummaries(null, run);
      return verdict.terminal;
    }
    if (verdict.go === "again") {
      if (run.summaries.size > 0) yield* yieldSummaries(state.pendingToolUseSummary, run);
      fact = { kind: "opened" };
    }
  }
}

/** The stage that follows a fact after which `decide` goes on. No stage follows the others: after them it stops, or goes round again. */
function stageAfter(fact: Fact, state: State, run: LiveRun): Steps<QueryEvent, Fact> {
  switch (fact.kind) {
    case "opened":
      return prepare(state, run);
    case "prepared":
      return sample(state, fact, run);
    case "answered":
      return fact.calls > 0 ? act(state, run) : endTurn(state, fact, run);
    case "stream_cut":
      return act(state, run);
    case "overflowed":
      return recover(state, fact, run);
    case "batch_settled":
      // Not an answer ends the turn, but what a tool said.
      return endTurn(state, { empty: false, stopReason: null }, run);
    default:
      throw new Error(`No stage follows the fact ${fact.kind}.`);
  }
}

/** Turns an exception into a fact: a stage whose port broke its contract ends like any other. */
function exceptionFact(error: unknown, { messages }: State, { cancel: { cause } }: Run): Fact {
  if (cause !== null) return { kind: "aborted", messages, where: "streaming", cause };
  return { kind: "failed", messages, failure: internalFailure("The loop", error) };
}

/** Turns a record that could not be written into a fact. */
function unrecordedFact(failure: Failure, fact: Fact, state: State): Fact {
  return { kind: "failed", messages: "messages" in fact ? fact.messages : state.messages, failure };
}

type FailedOrAborted = Extract<Fact, { kind: "failed" | "aborted" }>;

function isFailedOrAborted(fact: Fact): fact is FailedOrAborted {
  return fact.kind === "failed" || fact.kind === "aborted";
}

/** Gives every call of the response its result before `decide` classifies the end. */
function* settleBatch({ kind }: FailedOrAborted, run: LiveRun): Steps<QueryEvent, void> {
  const batch = run.batch;
  if (batch === null) return;
  run.batch = null;
  yield* waitFor(kind === "failed" ? batch.end() : batch.settle());
  for (const event of batch.takeEvents()) yield event;
}

/** Records the messages of a verdict. A verdict that cannot be recorded is not obeyed: the failed record becomes the next fact. */
function* recordVerdict(verdict: Verdict, state: State, run: LiveRun): Steps<QueryEvent, Verdict> {
  const emitted = yield* recordAndYield(run, verdict.emit);
  const messages = emitted.length === 0 ? verdict.state.messages : [...verdict.state.messages, ...emitted];
  if (run.fault === null) return { ...verdict, state: { ...verdict.state, messages } };
  const fact: FailedOrAborted = { kind: "failed", messages, failure: run.fault };
  yield* settleBatch(fact, run);
  const end = decide(state, fact, run.limits);
  for (const draft of end.emit) yield mint(run, draft);
  return end;
}

const failureReasons: ReadonlySet<Terminal["reason"]> = new Set(["model_error", "prompt_too_long", "image_error"]);

/** Runs the StopFailure hooks after an error. The Stop hooks do not judge such an end. */
function* runStopFailureHooks(run: Run, state: State, terminal: Terminal, fact: Fact): Steps<QueryEvent, void> {
  if (!failureReasons.has(terminal.reason)) return;
  const { hooks } = run.ports;
  try {
    if (!ignoreRejection(hooks.has("StopFailure"))) return;
    ignoreRejection(hooks.runDetached({ hook_event_name: "StopFailure", ...stopFailureInput(state, terminal, fact) }));
  } catch (error) {
    yield mint(run, warning("hook_failed", `StopFailure hooks failed (${errorText(error)}).`));
  }
}

function stopFailureInput({ messages }: State, terminal: Terminal, fact: Fact) {
  const failure = terminal.reason === "model_error" ? terminal.error : undefined;
  const kind = failure?.kind ?? (terminal.reason === "image_error" ? "media" : "prompt_too_long");
  const last_assistant_message = failure?.message ?? lastFailureText(messages) ?? lastAnswerText(messages);
  const error_details = (failure ?? ("failure" in fact ? fact.failure : undefined))?.detail;
  return { error: toSDKError(kind), last_assistant_message, ...(error_details === undefined ? {} : { error_details }) };
}

/** Waits for the pending tool use summaries and yields them, except `stillPending`, which is made while the next call runs. */
function* yieldSummaries(stillPending: string | null, run: Run): Steps<QueryEvent, void> {
  for (const [key, pending] of run.summaries) {
    if (key === stillPending) continue;
    run.summaries.delete(key);
    const summary = yield* waitFor(pending.text);
    if (summary !== null) yield { type: "tool_use_summary", summary, precedingToolUseIds: pending.ids };
  }
}

/** Closes what the run opened. A consumer that left counts as a cancellation; the results are still recorded. */
function* closeRun(run: LiveRun, abandoned: boolean): Steps<never, void> {
  if (abandoned) run.cancel.cancel("consumer");
  if (run.batch !== null) yield* waitFor(run.batch.settle());
  if (!run.isConcluded && run.cancel.cause !== "interrupt")
    yield* recordMessage(run, mint(run, interruption(run.batch === null ? "streaming" : "tools")));
  for (const { text } of run.summaries.values()) yield* waitFor(text);
  const { seen, waiting } = run.consumed;
  if (seen.length > 0) fireAndForget(() => run.ports.queue.settle(seen, "completed"));
  if (waiting.length > 0) fireAndForget(() => run.ports.queue.settle(waiting, "cancelled"));
}
