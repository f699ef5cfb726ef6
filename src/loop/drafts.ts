/** Messages that the loop itself writes. */
import type { UserMessage } from "../protocol/message.ts";
import type { Failure } from "../protocol/stop.ts";
import type { Draft, FactOf, HookStop } from "./fact.ts";
import * as texts from "./texts.ts";

type DraftOf<Type extends Draft["type"]> = Extract<Draft, { type: Type }>;

/** A message for the model, hidden from the user's view. */
export function metaUser(text: string, origin: NonNullable<UserMessage["origin"]>): DraftOf<"user"> {
  return { type: "user", content: [{ type: "text", text }], isMeta: true, origin };
}

/** The message that tells the model it was interrupted. */
export function interruption(where: "streaming" | "tools"): DraftOf<"user"> {
  return metaUser(where === "tools" ? texts.interruptedDuringTools : texts.interruptedWhileAnswering, "interruption");
}

/** What a hook adds for the model. */
export function hookContext(event: string, text: string): DraftOf<"attachment"> {
  return { type: "attachment", attachment: { kind: "hook_context", event, text } };
}

/** What says that a hook ended the run. */
export function hookStopped({ event, message }: HookStop): DraftOf<"attachment"> {
  return { type: "attachment", attachment: { kind: "hook_stopped_continuation", event, message } };
}

/** The names of all warnings that the loop gives. */
export type LoopNoticeName =
  | "answer_cut"
  | "answer_unfinished"
  | "blocks_left_out"
  | "empty_answer"
  | "field_left_out"
  | "history_mended"
  | "hook"
  | "hook_failed"
  | "mention_failed"
  | "model_fallback"
  | "out_of_tries"
  | "prompt_blocked"
  | "stop_hook_cap"
  | "summary_repaired"
  | "thinking_repaired"
  | "token_budget_unspent";

/** A warning for people. */
export function warning(name: LoopNoticeName, text: string, data?: Record<string, unknown>): DraftOf<"notice"> {
  return { type: "notice", level: "warning", name, text, ...(data === undefined ? {} : { data }) };
}

/** The error that ends a run, as an answer of no model. */
export function errorMessage(failure: Failure, iteration: number): DraftOf<"assistant"> {
  const apiError =
    failure.status === undefined ? { kind: failure.kind } : { kind: failure.kind, status: failure.status };
  return {
    type: "assistant",
    messageId: `error_${iteration}`,
    model: "<synthetic>",
    content: [{ type: "text", text: failure.message }],
    apiError,
    ...(failure.requestId === undefined ? {} : { requestId: failure.requestId }),
  };
}

export function windowFullMessage(fact: FactOf<"window_full">): DraftOf<"assistant"> {
  const content = [
    { type: "text" as const, text: texts.blockingLimit(fact.estimatedTokens, fact.limitTokens, fact.why) },
  ];
  return {
    type: "assistant",
    messageId: texts.windowFullId,
    model: "<synthetic>",
    content,
    apiError: { kind: "prompt_too_long" },
  };
}
