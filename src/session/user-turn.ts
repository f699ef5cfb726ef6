/** One user turn, from its prompt to its result: recorded, announced, run, summed up. */
import { errorText } from "../lib/error-text.ts";
import { copyJson } from "../protocol/copy-json.ts";
import type { ContentBlock } from "../protocol/message.ts";
import type { SDKMessage, SDKResultMessage } from "../protocol/sdk.ts";
import type { Failure, Terminal } from "../protocol/stop.ts";
import type { Cancel } from "../loop/cancel.ts";
import { heldBack, withNews } from "../lib/news-steps.ts";
import { passLeft, driven, passedOn, passedThrough, shownAs, waitFor, type Steps } from "../lib/steps.ts";
import { querySteps } from "../loop/query.ts";
import { createState } from "../loop/state.ts";
import { toSDKMessage } from "./convert.ts";
import { initMessage } from "./init.ts";
import type { SubmitOptions } from "./intake.ts";
import type { SessionParts } from "./parts.ts";
import { deferredCall, type OrphanedCall } from "./permissions/orphan.ts";
import { fittedPrompt } from "./context/media-parts.ts";
import { makeResult } from "./result.ts";
import { settleSnips } from "./context/snip-now.ts";
import { TurnLog } from "./turn.ts";

/** The result says whose message it answers. */
export function attributed(
  steps: Steps<SDKMessage, void>,
  { origin }: Pick<SubmitOptions, "origin">,
): Steps<SDKMessage, void> {
  if (origin === undefined) return steps;
  return shownAs(steps, (message) => (message.type === "result" ? { ...message, origin } : message));
}

/** Tells init first and exactly one result last; no result where the process was told to terminate. */
export function userTurn(
  parts: SessionParts,
  prompt: ContentBlock[],
  options: SubmitOptions,
  cancel: Cancel,
): Steps<SDKMessage, void> {
  const log = new TurnLog(parts.clock);
  const steps = turnSteps(parts, prompt, options, cancel, log);
  if (parts.hookFeed === undefined) return steps;
  const news = heldBack(parts.hookFeed, () => log.isAnnounced);
  return withNews(steps, news, () => cancel.cancel("consumer"));
}

/** The same, for a consumer of its own. */
export function runTurn(...turn: Parameters<typeof userTurn>): AsyncGenerator<SDKMessage, void> {
  return driven(userTurn(...turn));
}

function failure(error: Failure): Terminal {
  return { reason: "model_error", error };
}

/** A turn whose reader has gone. */
const left: Terminal = { reason: "aborted_streaming" };

function* turnSteps(
  parts: SessionParts,
  prompt: ContentBlock[],
  options: SubmitOptions,
  cancel: Cancel,
  log: TurnLog,
): Steps<SDKMessage, void> {
  const startedAt = parts.clock.elapsed();
  parts.structured?.begin();
  parts.crew.turn = cancel;
  let terminal: Terminal | null = null;
  let late: SDKMessage[];
  if (parts.job !== undefined) yield* waitFor(parts.job.begin(prompt));
  try {
    const ready = parts.memory.ready();
    const fitted = yield* waitFor(fittedPrompt(parts, prompt, cancel));
    if (ready !== undefined) yield* waitFor(ready);
    const failed = recorded(parts, fitted, options);
    if (parts.mcp !== undefined) yield* waitFor(parts.mcp.ready(cancel.signal));
    yield initMessage(parts);
    log.isAnnounced = true;
    terminal = failed === null ? yield* passedOn(parts.submitHooks(prompt, cancel)) : failure(failed);
    try {
      terminal ??= yield* runCalls(parts, log, cancel);
    } catch (error) {
      passLeft(error);
      // The loop gives one Terminal and throws nothing; a defect that does is an end like any other.
      terminal = failure(internal("The loop", error));
    }
  } finally {
    parts.crew.turn = undefined;
    late = [...parts.takeOutUnjudged(), ...settleSnips(parts.historyParts())];
    parts.recordFacts();
    // An end without an answer has not come by the step that does this.
    const releasing = parts.agentId === undefined ? parts.held.release() : null;
    if (releasing !== null) yield* waitFor(releasing);
    if (parts.job !== undefined) yield* waitFor(parts.job.end(terminal ?? left, cancel.cause));
  }
  if (cancel.cause === "terminate") return;
  for (const message of late) yield message;
  yield resultOf(parts, log, terminal, startedAt);
  yield* suggested(parts, terminal);
}

/** What the user might say next, after the result: told where it comes before they have. */
function* suggested({ forks, ids, sessionId }: SessionParts, { reason }: Terminal): Steps<SDKMessage, void> {
  try {
    const suggestion = reason === "completed" ? forks.takeSuggestion() : null;
    const text = suggestion === null ? null : yield* waitFor(suggestion);
    if (text !== null) yield { type: "prompt_suggestion", suggestion: text, uuid: ids.uuid(), session_id: sessionId };
  } finally {
    forks.dropSuggestion();
  }
}

/** A prompt that cannot be recorded ends its turn, whatever the reason. */
function recorded(parts: SessionParts, prompt: ContentBlock[], options: SubmitOptions): Failure | null {
  try {
    return parts.record(prompt, options, true);
  } catch (error) {
    return internal("Recording the prompt", error);
  }
}

/** What the past still owes comes first. */
function runCalls(parts: SessionParts, log: TurnLog, cancel: Cancel): Steps<SDKMessage, Terminal> {
  const orphan = parts.takeOrphan();
  return orphan === null ? runLoop(parts, log, cancel) : runOrphan(orphan, parts, log, cancel);
}

function* runOrphan(
  orphan: OrphanedCall,
  parts: SessionParts,
  log: TurnLog,
  cancel: Cancel,
): Steps<SDKMessage, Terminal> {
  if (orphan.placeholder !== undefined && parts.ports.tools.find(orphan.block.name) === undefined) {
    log.deferral = { ...orphan.block, isUnavailable: true };
    return failure(unavailable(orphan.block.name));
  }
  const context = { sessionId: parts.sessionId, uuid: () => parts.ids.uuid() };
  const isDeferred = yield* shownAs(orphan.run(parts, cancel), (event) => {
    log.observe(event);
    return toSDKMessage(event, context);
  });
  return isDeferred ? { reason: "hook_stopped" } : yield* runLoop(parts, log, cancel);
}

function unavailable(name: string): Failure {
  const message = `The call of ${name} that a hook has put off cannot be taken up: there is no such tool now. Start the session with it, and with the same --resume.`;
  return { kind: "not_configured", message };
}

function runLoop(parts: SessionParts, log: TurnLog, cancel: Cancel): Steps<SDKMessage, Terminal> {
  const state = createState({
    messages: [...parts.conversation.messages],
    model: parts.model.current,
    agentId: parts.agentId,
  });
  const { ports, limits, runMemory: memory } = parts;
  const run = querySteps({ state, config: parts.loopConfig(), ports, limits, cancel, memory });
  const context = { sessionId: parts.sessionId, uuid: () => parts.ids.uuid() };
  const shown = shownAs(run, (event) => {
    log.observe(event);
    const message = toSDKMessage(event, context);
    if (event.type === "transition" && event.transition.reason !== "next_turn") parts.job?.goOn();
    if (message?.type === "user") log.userMessages++;
    return message;
  });
  return asDisplayed(parts, shown, log, cancel);
}

/** Hooks may have people see something else. Nobody sees an agent's words as they come. */
function asDisplayed(
  parts: SessionParts,
  shown: Steps<SDKMessage, Terminal>,
  log: TurnLog,
  cancel: Cancel,
): Steps<SDKMessage, Terminal> {
  const isAsItIs = parts.agentId !== undefined || !parts.ports.hooks.has("MessageDisplay");
  return isAsItIs ? shown : byHooks(parts, shown, log, cancel);
}

function* byHooks(
  parts: SessionParts,
  shown: Steps<SDKMessage, Terminal>,
  log: TurnLog,
  { signal }: Cancel,
): Steps<SDKMessage, Terminal> {
  const { ports, displaysLines: byLines } = parts;
  const { MessageDisplay } = yield* waitFor(import("./hooks/message-display.ts"));
  const onShown = (uuid: string, text: string): void => log.display(uuid, text);
  const display = new MessageDisplay({ ...parts, hooks: ports.hooks, byLines, signal, onShown });
  return yield* passedThrough(shown, display.pass);
}

function resultOf(parts: SessionParts, log: TurnLog, terminal: Terminal, startedAt: number): SDKResultMessage {
  const put = terminal.reason === "hook_stopped" ? deferredCall(parts.conversation.messages) : null;
  const result = makeResult({
    terminal,
    deferral: put === null ? log.deferral : put.block,
    text: log.text,
    displayed: log.displayed,
    errors: log.errors,
    turnCount: log.turnCount,
    userMessages: log.userMessages,
    stopReason: log.stopReason,
    usage: log.usage,
    durationMs: Math.round(parts.clock.elapsed() - startedAt),
    durationApiMs: log.durationApiMs,
    totalCostUsd: parts.ledger.totalUsd,
    modelUsage: copyJson(parts.ledger.modelUsage),
    permissionDenials:
      parts.agentId === undefined ? [...log.denials, ...parts.crew.agents.denials.splice(0)] : log.denials,
    maxTurns: parts.limits.maxTurns,
    maxBudgetUsd: parts.maxBudgetUsd,
    refusal: parts.ledger.refusal,
    structured: parts.structured?.outcome,
    uuid: parts.ids.uuid(),
    sessionId: parts.sessionId,
  });
  const { subtype, terminal_reason: reason, num_turns: turns, total_cost_usd: usd } = result;
  parts.debug(`result ${subtype} reason=${reason} turns=${turns} usd=${usd}`);
  return result;
}

function internal(what: string, error: unknown): Failure {
  const why = errorText(error);
  return { kind: "internal", message: `${what} failed unexpectedly: ${why}` };
}
