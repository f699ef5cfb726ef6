/** No tool was asked for: try what may still save an overflow, else let the stop hooks judge the end of the turn. */
import type { QueryEvent } from "../protocol/event.ts";
import type { ContextInput, ShrinkResult } from "../protocol/context.ts";
import type { Message } from "../protocol/message.ts";
import type { Steps } from "../lib/steps.ts";
import { boundedGenerator, boundedShown } from "./bounded.ts";
import { recoveriesLeft } from "./decide.ts";
import type { Draft, Fact, FactOf } from "./fact.ts";
import { wantedTokens } from "./prepare.ts";
import { append, errorText, fixedTokens, type Run } from "./run.ts";
import type { State } from "./state.ts";

export function* settle(state: State, previous: Fact, run: Run): Steps<QueryEvent, Fact> {
  const fact =
    previous.kind === "overflowed"
      ? yield* recover(state, previous, run)
      : yield* endTurn(state, previous as FactOf<"answered">, run);
  if (run.cancel.cause !== null)
    return {
      kind: "aborted",
      where: "streaming",
      cause: run.cancel.cause,
      messages: "messages" in fact ? fact.messages : state.messages,
    };
  return fact;
}

function* recover(state: State, overflow: FactOf<"overflowed">, run: Run): Steps<QueryEvent, Fact> {
  const { ports } = run;
  const info = ports.model.info(state.toolUseContext.model);
  const input: ContextInput = {
    messages: state.messages,
    model: info,
    maxTokens: wantedTokens(state, run, info),
    fixedTokens: fixedTokens(run),
    tracking: state.autoCompactTracking,
    turnCount: state.turnCount,
    key: `t${state.iteration}`,
  };
  for (const recovery of recoveriesLeft(state, overflow)) {
    if (recovery === "drain" && !ports.context.canDrain(state.messages)) continue;
    const wait = {
      key: `${input.key}.${recovery}`,
      on: "compaction" as const,
      name: recovery,
      limitMs: run.limits.compactionMs,
    };
    const { media, actualTokens, failure } = overflow;
    const { status, detail } = failure;
    const refusal = { ...(status === undefined ? {} : { status }), ...(detail === undefined ? {} : { detail }) };
    const said = { media, refusal, ...(actualTokens === undefined ? {} : { actualTokens }) };
    const shrink = yield* boundedGenerator(run, wait, (signal) =>
      recovery === "drain"
        ? ports.context.drain(input, signal)
        : ports.context.compactReactively({ ...input, ...said }, signal),
    );
    if (run.cancel.cause !== null) return overflow;
    if (shrink.ok && madeProgress(shrink.value)) return yield* shrunk(state, overflow, run, recovery, shrink.value);
  }
  return { kind: "unrecovered", media: overflow.media, failure: overflow.failure, messages: state.messages };
}

type Shrunk = Extract<ShrinkResult, { kind: "shrunk" }>;

/** Judged by what came out, not by having been tried. */
function madeProgress(result: ShrinkResult): result is Shrunk {
  return result.kind === "shrunk" && result.afterTokens < result.beforeTokens;
}

function* shrunk(
  state: State,
  overflow: FactOf<"overflowed">,
  run: Run,
  recovery: "drain" | "compact",
  result: Shrunk,
): Steps<QueryEvent, Fact> {
  for (const record of result.records) {
    if (!(yield* append(run, record))) break;
    yield record;
  }
  const { media, failure } = overflow;
  const left = { media, failure, messages: result.messages };
  const before = state.autoCompactTracking;
  const taskTokensLost = (before.taskTokensLost ?? 0) + (result.taskTokensLost ?? 0);
  const lost = { ...before, ...(taskTokensLost === 0 ? {} : { taskTokensLost }) };
  if (recovery === "drain") return { kind: "drained", committed: result.committed, tracking: lost, ...left };
  const tracking = { ...lost, lastCompactedTurn: state.turnCount, consecutiveFailures: 0 };
  return { kind: "compacted", tracking, ...left };
}

function* endTurn(state: State, answered: FactOf<"answered">, run: Run): Steps<QueryEvent, FactOf<"turn_end">> {
  const pass = {
    kind: "turn_end" as const,
    messages: state.messages,
    blocking: [],
    prevented: null,
    warnings: [],
    empty: answered.empty,
  };
  const event = state.toolUseContext.agentId === null ? "Stop" : "SubagentStop";
  if (!run.ports.hooks.has(event)) return pass;
  const wait = { key: `t${state.iteration}.${event}`, on: "hook" as const, name: event, limitMs: run.limits.hookMs };
  const input = {
    hook_event_name: event,
    stop_hook_active: state.stopHookActive,
    last_assistant_message: lastText(state.messages),
  } as const;
  const answer = yield* boundedShown(run, wait, (signal) => run.ports.hooks.run(input, signal));
  if (!answer.ok) {
    const why =
      answer.why === "threw" ? errorText(answer.error) : answer.why === "timeout" ? "no answer in time" : "cancelled";
    const warning: Draft = {
      type: "notice",
      level: "warning",
      name: "hook_failed",
      text: `${event} hooks failed (${why}); the turn ends as if they had passed.`,
    };
    return { ...pass, warnings: answer.why === "cancelled" ? [] : [warning] };
  }
  const messages: Message[] = [...state.messages];
  for (const notice of answer.value.notices) {
    if (!(yield* append(run, notice))) break;
    messages.push(notice);
    yield notice;
  }
  const { preventContinuation, blocking, additionalContext } = answer.value;
  const prevented = preventContinuation === undefined ? null : { event, message: preventContinuation };
  return { ...pass, messages, blocking: [...blocking, ...additionalContext], prevented };
}

/** The text of the last response, as hooks are told it. */
export function lastText(messages: readonly Message[]): string {
  let messageId: string | null = null;
  const texts: string[] = [];
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!;
    if (message.type !== "assistant" || message.apiError !== undefined) continue;
    if (messageId !== null && message.messageId !== messageId) break;
    messageId = message.messageId;
    for (const block of message.content.toReversed()) if (block.type === "text") texts.unshift(block.text);
  }
  return texts.join("");
}
