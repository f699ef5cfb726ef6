/** One user turn, from its prompt to its result: recorded, announced, run and summed up. */
import { actsAsSubagent } from "../options/acts-as-subagent.ts";
import { copyJson } from "../../protocol/copy-json.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { SDKMessage, SDKResultMessage } from "../../protocol/sdk.ts";
import type { Failure, Terminal } from "../../protocol/stop.ts";
import type { Cancel } from "../../loop/cancel.ts";
import { delayNews, withNews } from "../../lib/news-steps.ts";
import {
  rethrowIfLeft,
  toAsyncGenerator,
  stepsFromGenerator,
  flatMapEvents,
  mapEvents,
  waitFor,
  type Steps,
} from "../../lib/steps.ts";
import { querySteps } from "../../loop/query.ts";
import { internalFailure } from "../../loop/run.ts";
import { createState } from "../../loop/state.ts";
import { initMessage } from "../init.ts";
import type { Joined } from "../joined.ts";
import { loopConfigOf } from "../loop/loop-config.ts";
import type { SubmitOptions } from "../intake/intake.ts";
import type { Session } from "../session.ts";
import { findDeferredCall, type OrphanedCall } from "../permissions/orphan.ts";
import { fitPromptMedia } from "../context/media-parts.ts";
import { createAttribution } from "./attribution.ts";
import { makeResult } from "./result.ts";
import { applyWaitingSnips } from "../context/apply-snip.ts";
import { createMessageConverter } from "../events/shown-messages.ts";
import { TurnLog } from "../events/turn-log.ts";

/** Marks the answers and the result with the user message they answer. */
export function withAttribution(steps: Steps<SDKMessage, void>, options: SubmitOptions): Steps<SDKMessage, void> {
  return mapEvents(steps, createAttribution(options));
}

/** Yields the init message first and exactly one result last, or no result if the process was told to terminate. */
export function userTurn(
  session: Session,
  prompt: ContentBlock[],
  options: SubmitOptions,
  cancel: Cancel,
): Steps<SDKMessage, void> {
  const log = new TurnLog(session.joined.around.clock);
  const steps = turnSteps(session, prompt, options, cancel, log);
  const { hookFeed } = session;
  if (hookFeed === undefined) return steps;
  const news = delayNews(hookFeed, () => log.isAnnounced);
  return withNews(steps, news, () => cancel.cancel("consumer"));
}

/** The same, as a generator with a consumer of its own. */
export function runTurn(...turn: Parameters<typeof userTurn>): AsyncGenerator<SDKMessage, void> {
  return toAsyncGenerator(userTurn(...turn));
}

function failureTerminal(error: Failure): Terminal {
  return { reason: "model_error", error };
}

/** The end of a turn whose reader has gone, or whose process ends before the turn has begun. */
const abortedTerminal: Terminal = { reason: "aborted_streaming" };

function* turnSteps(
  session: Session,
  prompt: ContentBlock[],
  options: SubmitOptions,
  cancel: Cancel,
  log: TurnLog,
): Steps<SDKMessage, void> {
  const { joined } = session;
  const { around, job, mcp, structured } = joined;
  const startedAt = around.clock.elapsed();
  structured?.begin();
  joined.turn = cancel;
  let terminal: Terminal | null = null;
  let late: SDKMessage[];
  if (job !== undefined) yield* waitFor(job.begin(prompt));
  try {
    const ready = firstRecordsReady(joined, cancel);
    const fitted = yield* waitFor(fitPromptMedia(joined.ports, prompt, cancel));
    if (ready !== undefined) yield* waitFor(ready);
    const failed = tryRecordPrompt(session, fitted, options);
    if (mcp.desk !== undefined) yield* waitFor(mcp.desk.ready(cancel.signal));
    yield initMessage(session);
    log.isAnnounced = true;
    terminal =
      failed === null ? yield* stepsFromGenerator(session.submitHooks(prompt, cancel)) : failureTerminal(failed);
    if (session.keepsUnjudged(cancel)) terminal ??= abortedTerminal;
    try {
      terminal ??= yield* runOrphanThenLoop(session, log, cancel);
    } catch (error) {
      rethrowIfLeft(error);
      // The loop returns one Terminal and never throws; a defect that makes it throw ends the turn like any other failure.
      terminal = failureTerminal(internalFailure("The loop", error));
    }
  } finally {
    joined.turn = undefined;
    late = [...session.removeUnjudgedPrompt(cancel), ...applyWaitingSnips(session.historyParts())];
    session.unwritten.record();
    session.recordFacts();
    // If the turn ends without an answer, the step that releases held messages has not run.
    const releasing = actsAsSubagent(joined.options) ? null : joined.disposers.release();
    if (releasing !== null) yield* waitFor(releasing);
    if (job !== undefined) yield* waitFor(job.end(terminal ?? abortedTerminal, cancel.cause));
  }
  if (cancel.cause === "terminate") return;
  for (const message of late) yield message;
  yield resultOf(joined, log, terminal, startedAt);
  yield* suggestPrompt(joined, terminal);
}

/** Undefined if everything is there that the session's first records say: the system prompt and the first message. */
function firstRecordsReady({ memory, openingTexts, options }: Joined, cancel: Cancel): Promise<unknown> | undefined {
  const [files, texts] = [memory.ready(), openingTexts.ready()];
  if (texts === undefined) return files;
  cancel.onCancel(() => openingTexts.stop());
  options.debug?.("the prompt waits until git has described the repository");
  return Promise.all([files, texts]);
}

/** Yields a suggestion for the user's next prompt after the result, if it arrives before they send one. */
function* suggestPrompt({ forks, around, store }: Joined, { reason }: Terminal): Steps<SDKMessage, void> {
  try {
    const suggestion = reason === "completed" ? forks.takeSuggestion() : null;
    const text = suggestion === null ? null : yield* waitFor(suggestion);
    if (text === null) return;
    const base = { uuid: around.ids.uuid(), session_id: store.sessionId };
    yield { ...base, type: "prompt_suggestion", suggestion: text };
  } finally {
    forks.dropSuggestion();
  }
}

/** A prompt that cannot be recorded ends its turn, whatever the reason. */
function tryRecordPrompt(session: Session, prompt: ContentBlock[], options: SubmitOptions): Failure | null {
  try {
    return session.record(prompt, options, true);
  } catch (error) {
    return internalFailure("Recording the prompt", error);
  }
}

/** Handles what earlier turns left over before the loop runs. */
function* runOrphanThenLoop(session: Session, log: TurnLog, cancel: Cancel): Steps<SDKMessage, Terminal> {
  if (!cancel.signal.aborted) yield* session.removeUnaffordablePrompts();
  const orphan = session.takeOrphan();
  const run = orphan === null ? runLoop(session, log, cancel) : runOrphan(orphan, session, log, cancel);
  const terminal = yield* run;
  if (terminal.reason === "max_budget_usd") session.noteUnaffordablePrompt();
  return terminal;
}

function* runOrphan(orphan: OrphanedCall, session: Session, log: TurnLog, cancel: Cancel): Steps<SDKMessage, Terminal> {
  const { joined, unwritten } = session;
  if (orphan.placeholder !== undefined && joined.ports.tools.find(orphan.block.name) === undefined) {
    log.deferral = { ...orphan.block, isUnavailable: true };
    return failureTerminal(unavailableTool(orphan.block.name));
  }
  const shown = createMessageConverter(joined);
  const ended = yield* mapEvents(orphan.run(joined, loopConfigOf(joined), cancel), (event) => {
    log.observe(event);
    unwritten.observe(event);
    return shown(event);
  });
  return ended ?? (yield* runLoop(session, log, cancel));
}

function unavailableTool(name: string): Failure {
  const message = `The deferred call of ${name} cannot be continued: there is no such tool now. Start the session with that tool and with the same --resume.`;
  return { kind: "not_configured", message };
}

function runLoop({ joined, runMemory, unwritten }: Session, log: TurnLog, cancel: Cancel): Steps<SDKMessage, Terminal> {
  const { conversation, job, limits, options, ports, selected } = joined;
  const state = createState({
    messages: [...conversation.messages],
    model: selected.current,
    agentId: options.subagent?.agentId,
  });
  const run = querySteps({ state, config: loopConfigOf(joined), ports, limits, cancel, memory: runMemory });
  const messageOf = createMessageConverter(joined);
  const shown = mapEvents(run, (event) => {
    log.observe(event);
    unwritten.observe(event);
    const message = messageOf(event);
    if (event.type === "transition" && event.transition.reason !== "next_turn") job?.resumeWorking();
    if (message?.type === "user") log.userMessages++;
    return message;
  });
  return withDisplayHooks(joined, shown, log, cancel);
}

/** Hooks may change what people see. An agent's text is never shown as it streams, so hooks are not asked about it. */
function withDisplayHooks(
  joined: Joined,
  shown: Steps<SDKMessage, Terminal>,
  log: TurnLog,
  cancel: Cancel,
): Steps<SDKMessage, Terminal> {
  const isAsItIs = actsAsSubagent(joined.options) || !joined.ports.hooks.has("MessageDisplay");
  return isAsItIs ? shown : displayByHooks(joined, shown, log, cancel);
}

function* displayByHooks(
  { around, options, ports, store }: Joined,
  shown: Steps<SDKMessage, Terminal>,
  log: TurnLog,
  { signal }: Cancel,
): Steps<SDKMessage, Terminal> {
  const { MessageDisplay } = yield* waitFor(import("../hooks/message-display.ts"));
  const onShown = (uuid: string, text: string): void => log.display(uuid, text);
  const { clock, ids } = around;
  const { sessionId } = store;
  const byLines = options.displayByLines === true;
  const display = new MessageDisplay({ hooks: ports.hooks, clock, ids, sessionId, byLines, signal, onShown });
  return yield* flatMapEvents(shown, display.pass);
}

function resultOf(joined: Joined, log: TurnLog, terminal: Terminal, startedAt: number): SDKResultMessage {
  const { agentRun, agents, around, conversation, ledger, limits, options, store, structured } = joined;
  const put = terminal.reason === "hook_stopped" ? findDeferredCall(conversation.messages) : null;
  // A structured answer is given by a tool call, which takes the place of text.
  const { text, displayed } = terminal.reason === "completed" && structured === undefined ? log.lastNonBlankText : log;
  const result = makeResult({
    terminal,
    deferral: put === null ? log.deferral : put.block,
    text,
    displayed,
    log,
    durationMs: around.clock.elapsed() - startedAt,
    totalCostUsd: ledger.totalUsd,
    modelUsage: copyJson(ledger.modelUsage),
    // The result of an agent leaves those of other agents to the session.
    permissionDenials: agentRun === undefined ? [...log.denials, ...agents.denials.splice(0)] : log.denials,
    maxTurns: limits.maxTurns,
    maxBudgetUsd: options.maxBudgetUsd,
    refusal: ledger.refusal,
    structured: structured?.outcome,
    uuid: around.ids.uuid(),
    sessionId: store.sessionId,
  });
  const { subtype, terminal_reason: reason, num_turns: turns, total_cost_usd: usd } = result;
  options.debug?.(`result ${subtype} reason=${reason} turns=${turns} usd=${usd}`);
  return result;
}
