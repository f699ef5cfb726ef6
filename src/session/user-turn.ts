/** One user turn, from its prompt to its result: recorded, announced, run, summed up. */
import type { QueryEvent } from "../protocol/event.ts";
import type { ContentBlock } from "../protocol/message.ts";
import type { SDKMessage, SDKResultMessage } from "../protocol/sdk.ts";
import type { Failure, Terminal } from "../protocol/stop.ts";
import type { Cancel } from "../loop/cancel.ts";
import { query } from "../loop/query.ts";
import { createState } from "../loop/state.ts";
import { toSDKMessage } from "./convert.ts";
import { initMessage } from "./init.ts";
import type { SessionParts } from "./parts.ts";
import { fittedPrompt } from "./media-parts.ts";
import { makeResult } from "./result.ts";
import { settleSnips } from "./snip-now.ts";
import { TurnLog } from "./turn.ts";

export interface SubmitOptions {
  /** The message's uuid; a client's own id for it. */
  uuid?: string;
  isMeta?: boolean;
}

/** Yields init first and exactly one result last; no result where the process was told to terminate. */
export async function* runTurn(
  parts: SessionParts,
  prompt: ContentBlock[],
  options: SubmitOptions,
  cancel: Cancel,
): AsyncGenerator<SDKMessage, void> {
  const log = new TurnLog(() => parts.clock.elapsed());
  const startedAt = parts.clock.elapsed();
  let terminal: Terminal;
  let late: SDKMessage[];
  try {
    const failed = recorded(parts, await fittedPrompt(parts, prompt, cancel), options);
    yield initMessage(parts);
    terminal =
      failed === null
        ? ((yield* parts.submitHooks(prompt, cancel)) ?? (yield* runCalls(parts, log, cancel)))
        : { reason: "model_error", error: failed };
  } finally {
    late = settleSnips(parts.historyParts());
    parts.recordFacts();
  }
  if (cancel.cause === "terminate") return;
  yield* late;
  yield resultOf(parts, log, terminal, startedAt);
}

/** A prompt that cannot be recorded ends its turn, whatever the reason. */
function recorded(parts: SessionParts, prompt: ContentBlock[], options: SubmitOptions): Failure | null {
  try {
    return parts.record(prompt, options);
  } catch (error) {
    return internal("Recording the prompt", error);
  }
}

/** What the past still owes comes first. */
async function* runCalls(parts: SessionParts, log: TurnLog, cancel: Cancel): AsyncGenerator<SDKMessage, Terminal> {
  const orphan = parts.takeOrphan();
  if (orphan !== null) {
    const context = { sessionId: parts.sessionId, uuid: () => parts.ids.uuid() };
    for await (const event of orphan.run(parts, cancel)) {
      log.observe(event);
      const message = toSDKMessage(event, context);
      if (message !== null) yield message;
    }
  }
  return yield* runLoop(parts, log, cancel);
}

async function* runLoop(parts: SessionParts, log: TurnLog, cancel: Cancel): AsyncGenerator<SDKMessage, Terminal> {
  const state = createState({ messages: [...parts.conversation.messages], model: parts.model.current });
  const run = query({ state, config: parts.loopConfig(), ports: parts.ports, limits: parts.limits, cancel });
  const context = { sessionId: parts.sessionId, uuid: () => parts.ids.uuid() };
  let isOver = false;
  try {
    for (;;) {
      let step: IteratorResult<QueryEvent, Terminal>;
      try {
        step = await run.next();
      } catch (error) {
        // The loop gives one Terminal and throws nothing; a defect that does is an end like any other.
        step = { done: true, value: { reason: "model_error", error: internal("The loop", error) } };
      }
      if (step.done === true) {
        isOver = true;
        return step.value;
      }
      log.observe(step.value);
      const message = toSDKMessage(step.value, context);
      if (message?.type === "user") log.userMessages++;
      if (message !== null) yield message;
    }
  } finally {
    if (!isOver) await run.return({ reason: "aborted_streaming" });
  }
}

function resultOf(parts: SessionParts, log: TurnLog, terminal: Terminal, startedAt: number): SDKResultMessage {
  const result = makeResult({
    terminal,
    text: log.text,
    errors: log.errors,
    turnCount: log.turnCount,
    userMessages: log.userMessages,
    stopReason: log.stopReason,
    usage: log.usage,
    durationMs: Math.round(parts.clock.elapsed() - startedAt),
    durationApiMs: log.durationApiMs,
    totalCostUsd: parts.ledger.totalUsd,
    modelUsage: structuredClone(parts.ledger.modelUsage),
    permissionDenials: log.denials,
    maxTurns: parts.limits.maxTurns,
    maxBudgetUsd: parts.maxBudgetUsd,
    refusal: parts.ledger.refusal,
    uuid: parts.ids.uuid(),
    sessionId: parts.sessionId,
  });
  const { subtype, terminal_reason: reason, num_turns: turns, total_cost_usd: usd } = result;
  parts.debug(`result ${subtype} reason=${reason} turns=${turns} usd=${usd}`);
  return result;
}

function internal(what: string, error: unknown): Failure {
  const why = error instanceof Error ? error.message : String(error);
  return { kind: "internal", message: `${what} failed unexpectedly: ${why}` };
}
