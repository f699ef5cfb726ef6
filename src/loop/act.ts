/** Third stage, if the model called tools: waits for all results, then adds what joins the conversation at this point. */
import type { QueryEvent } from "../protocol/event.ts";
import type { ContentBlock, Message } from "../protocol/message.ts";
import type { CancelCause } from "../protocol/stop.ts";
import { runSteps, waitFor, type Steps } from "../lib/steps.ts";
import { isLastBatch } from "./decide.ts";
import type { Draft, Fact } from "./fact.ts";
import { runBatchHooks } from "./batch-hooks.ts";
import { runBounded, runBoundedWithEvents } from "./bounded.ts";
import type { LiveRun } from "./live-run.ts";
import { takeQueuedPrompts } from "./queued-prompts.ts";
import { recordMessage, mint, type Run } from "./run.ts";
import type { State } from "./state.ts";
import { ToolBatch, withResults } from "./tool-batch.ts";

export function* act(state: State, run: LiveRun): Steps<QueryEvent, Fact> {
  const batch = run.batch ?? new ToolBatch(run);
  yield* drainBatch(run, batch);
  run.batch = null;
  const messages = withResults(state.messages, batch);
  if (run.cancel.cause !== null)
    return yield* abortedInTools(run.cancel.cause, state, messages, batch.followUps(), run);
  const outcomes = batch.outcomes();
  const deferral = outcomes.find(({ prevent }) => prevent?.isDeferral === true)?.prevent;
  if (deferral !== undefined)
    return { kind: "batch_settled", messages, hookStopped: deferral, endsTurn: false, summaryKey: null };
  const hookAnswer = yield* runBatchHooks(state, batch.calls(), messages, run);
  messages.push(...hookAnswer.notices);
  const followUps = [...batch.followUps(), ...hookAnswer.contexts];
  if (run.cancel.cause !== null) return yield* abortedInTools(run.cancel.cause, state, messages, followUps, run);
  const hookStopped = outcomes.find(({ prevent }) => prevent !== undefined)?.prevent ?? hookAnswer.stopped;
  const endsTurn = outcomes.some((outcome) => outcome.endsTurn === true);
  // If the run ends here, queued prompts stay queued: the next user turn answers them.
  const isOver = run.fault !== null || isLastBatch(state, { hookStopped, endsTurn }, run.limits);
  const queued = isOver ? { notices: [], drafts: [] } : yield* takeQueuedPrompts(state, run);
  messages.push(...queued.notices);
  if (run.cancel.cause !== null) return yield* abortedInTools(run.cancel.cause, state, messages, followUps, run);
  const later = isOver ? [] : [...queued.drafts, ...newsDrafts(run)];
  yield* appendDrafts(state, messages, [...followUps, ...later], run);
  const summaryKey = isOver || run.fault !== null ? null : startSummary(state, run, batch);
  return { kind: "batch_settled", messages, hookStopped, endsTurn, summaryKey };
}

/** What hooks and tools said about finished calls is kept, whatever happens to the other calls: the next turn continues from it. */
function* abortedInTools(
  cause: CancelCause,
  state: State,
  messages: Message[],
  followUps: readonly Draft[],
  run: LiveRun,
): Steps<QueryEvent, Fact> {
  yield* appendDrafts(state, messages, followUps, run);
  return { kind: "aborted", where: "tools", cause, messages };
}

function* appendDrafts(state: State, messages: Message[], drafts: readonly Draft[], run: Run): Steps<QueryEvent, void> {
  const appended: Message[] = [];
  for (const draft of drafts) {
    const message = mint(run, yield* fitDraftMedia(state, draft, run));
    if (!(yield* recordMessage(run, message))) break;
    appended.push(message);
  }
  messages.push(...appended);
  // Yield only after all are recorded: a consumer that leaves at one of them would keep the rest from being recorded.
  for (const message of appended) yield message;
}

/**
 * Yields progress as it comes and results in order, until every call has its result. After a fault, running calls are told to end, because
 * nothing about them can be recorded.
 */
export function* drainBatch(run: Run, batch: ToolBatch): Steps<QueryEvent, void> {
  batch.seal();
  while (!batch.isSettled()) {
    for (const event of batch.takeEvents()) yield event;
    if (run.fault === null && batch.isRunning()) yield* waitFor(run.doorbell.nextRing());
    else {
      // Calls that are still waiting will never start.
      yield* waitFor(batch.end());
      break;
    }
  }
  for (const event of batch.takeEvents()) yield event;
}

function newsDrafts({ ports: { queue } }: Run): Draft[] {
  return queue.news().map((attachment): Draft => ({ type: "attachment", attachment }));
}

/** Makes the images and documents of queued prompts, mentioned files and tools' additions fit before they are recorded. */
function* fitDraftMedia(state: State, draft: Draft, run: Run): Steps<QueryEvent, Draft> {
  if (draft.type === "user") return { ...draft, content: yield* fitContentMedia(state, draft.content, run) };
  if (draft.type !== "attachment" || draft.attachment.kind !== "queued_command") return draft;
  const prompt = yield* fitContentMedia(state, draft.attachment.prompt, run);
  return { ...draft, attachment: { ...draft.attachment, prompt } };
}

function* fitContentMedia(state: State, content: ContentBlock[], run: Run): Steps<QueryEvent, ContentBlock[]> {
  const { context } = run.ports;
  if (context.fitMedia === undefined || content.every((block) => block.type === "text")) return content;
  const wait = {
    key: `t${state.iteration}.media`,
    on: "compaction" as const,
    name: "media",
    limitMs: run.limits.portMs,
  };
  const answer = yield* runBoundedWithEvents(run, wait, async (signal) => context.fitMedia?.(content, signal));
  return (answer.ok ? answer.value : undefined) ?? content;
}

/** Starts the one-line summary of a batch of three or more calls. It is made while the next call runs; the run owns the promise. */
function startSummary(state: State, run: Run, batch: ToolBatch): string | null {
  const { summary } = run.ports;
  if (summary === undefined || batch.size < 3) return null;
  const key = `t${state.iteration}.summary`;
  const results = batch.results();
  const about: readonly Message[] = [...state.messages.slice(-batch.size - 2), ...results];
  const wait = { key, on: "hook" as const, name: "tool_use_summary", limitMs: run.limits.portMs };
  const pendingAnswer = runSteps(runBounded(run, wait, (signal) => summary.summarize(about, signal)));
  const ids = batch.calls().map(({ block }) => block.id);
  run.summaries.set(key, { ids, text: pendingAnswer.then((answer) => (answer.ok ? answer.value : null)) });
  return key;
}
