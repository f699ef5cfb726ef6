/** A call left open, on purpose or because the process died, that is run or refused once before the turn continues. */
import { waitFor, type Steps } from "../../lib/steps.ts";
import { drainBatch } from "../../loop/act.ts";
import { runBatchHooks } from "../../loop/batch-hooks.ts";
import type { Cancel } from "../../loop/cancel.ts";
import { decide } from "../../loop/decide.ts";
import { hookStopped } from "../../loop/drafts.ts";
import type { Draft, HookStop } from "../../loop/fact.ts";
import { withCorrectedInput } from "../../loop/corrected-input.ts";
import { defaultLimits, type LoopConfig, type LoopLimits, type LoopPorts } from "../../loop/ports.ts";
import { recordAndYield, recordMessage, createRun, mint, type Run } from "../../loop/run.ts";
import { createState } from "../../loop/state.ts";
import { ToolBatch } from "../../loop/tool-batch.ts";
import type { QueryEvent } from "../../protocol/event.ts";
import type { Message, ToolUseBlock } from "../../protocol/message.ts";
import type { AskPermission, PermissionAnswer } from "../../protocol/permission.ts";
import type { CancelCause, Terminal } from "../../protocol/stop.ts";
import type { Conversation } from "../store/conversation.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Store } from "../store/store-shape.ts";

/** Returns the call whose question was open when the process died; null if there is none, or if nobody has answered it. */
export function orphanToAnswer({ orphan }: Store, { orphanedPermission }: EngineOptions): OrphanedCall | null {
  return orphan === undefined || orphanedPermission === undefined
    ? null
    : new OrphanedCall(orphan, { answer: orphanedPermission.answer });
}

/** Returns the call that a hook has deferred and after which the model has not continued; null if there is none. */
export function findDeferredCall(messages: readonly Message[]): OrphanedCall | null {
  let placeholder: string | undefined;
  let id: string | undefined;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!;
    if (message.type === "user" && message.deferred === true) {
      placeholder = message.uuid;
      id = message.content.find((block) => block.type === "tool_result")?.tool_use_id;
    }
    if (message.type !== "assistant") continue;
    const use = message.content.find((block) => block.type === "tool_use" && block.id === id);
    return use?.type === "tool_use" && placeholder !== undefined ? new OrphanedCall(use, { placeholder }) : null;
  }
  return null;
}

interface OrphanParts {
  ports: LoopPorts;
  limits: Partial<LoopLimits>;
  conversation: Conversation;
  selected: { readonly current: string };
}

export class OrphanedCall {
  readonly block: ToolUseBlock;
  /** Uuid of the placeholder message for the result of a deferred call. */
  readonly placeholder: string | undefined;
  readonly #answer: PermissionAnswer | undefined;
  #ask: AskPermission | undefined;

  constructor(block: ToolUseBlock, { answer, placeholder }: { answer?: PermissionAnswer; placeholder?: string }) {
    this.block = block;
    this.placeholder = placeholder;
    this.#answer = answer;
  }

  /** Answers in place of the host while the call runs. */
  get ask(): AskPermission | undefined {
    return this.#ask;
  }

  /**
   * Runs the call like any other: it is checked, shown to hooks and matched against the rules; only an answered question is not asked
   * again. Returns the end of the turn if a hook deferred the call again or stopped the turn, if the turn was cancelled while the call ran,
   * or if the call could not be recorded; null if the turn continues.
   */
  *run(parts: OrphanParts, config: LoopConfig, cancel: Cancel): Steps<QueryEvent, Terminal | null> {
    const { ports, conversation } = parts;
    const limits = { ...defaultLimits, ...parts.limits };
    const run = createRun(ports, config, limits, cancel, conversation.messages);
    const batch = new ToolBatch(run);
    let isOver = false;
    const answer = this.#answer;
    if (answer !== undefined) this.#ask = async () => answer;
    try {
      if (this.placeholder !== undefined) {
        const tombstone = mint(run, { type: "tombstone", targets: [this.placeholder], reason: "deferred" });
        yield* recordMessage(run, tombstone);
      }
      const stop = run.fault === null ? yield* this.#runCall(run, batch, conversation) : undefined;
      isOver = true;
      if (run.fault !== null) return { reason: "model_error", error: run.fault };
      if (stop !== undefined) return { reason: "hook_stopped" };
      return cancel.cause === null ? null : yield* abortInTools(run, parts, cancel.cause);
    } finally {
      if (!isOver) cancel.cancel("consumer");
      yield* waitFor(batch.settle());
      this.#ask = undefined;
    }
  }

  /** Returns the stop of a hook that ends the turn, if any. */
  *#runCall(run: Run, batch: ToolBatch, conversation: Conversation): Steps<QueryEvent, HookStop | undefined> {
    batch.add({ block: withCorrectedInput(this.block, run.ports.tools), key: "t0.tool.0" });
    yield* drainBatch(run, batch);
    const drafts: Draft[] = [...batch.followUps()];
    let stop = batch.outcomes().find(({ prevent }) => prevent)?.prevent;
    if (run.cancel.cause === null && stop?.isDeferral !== true) {
      const hookAnswer = yield* runBatchHooks({ iteration: 0 }, batch.calls(), conversation.messages, run);
      drafts.push(...hookAnswer.contexts);
      stop ??= hookAnswer.stopped ?? undefined;
    }
    if (run.cancel.cause !== null) stop = undefined;
    if (stop !== undefined && stop.isDeferral !== true) drafts.push(hookStopped(stop));
    for (const draft of drafts) {
      const message = mint(run, draft);
      if (!(yield* recordMessage(run, message))) break;
      yield message;
    }
    return stop;
  }
}

/** Ends the turn as the loop ends one that is cancelled while its tools run. The call came before the first turn of this prompt. */
function* abortInTools(
  run: Run,
  { conversation: { messages }, selected }: OrphanParts,
  cause: CancelCause,
): Steps<QueryEvent, Terminal | null> {
  const state = { ...createState({ messages, model: selected.current }), turnCount: 0 };
  const verdict = decide(state, { kind: "aborted", where: "tools", cause, messages }, run.limits);
  yield* recordAndYield(run, verdict.emit);
  return verdict.go === "stop" ? verdict.terminal : null;
}
