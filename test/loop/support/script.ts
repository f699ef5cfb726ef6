// What the scripted model says, as plain values: a reply is a list of steps and an outcome.
import type { ContentBlock, ToolUseBlock } from "../../../src/protocol/message.ts";
import type { ModelFailure, ModelOutcome, ModelRequest } from "../../../src/protocol/model.ts";
import type { RawStreamEvent } from "../../../src/protocol/stream-event.ts";
import type { FailureKind } from "../../../src/protocol/stop.ts";
import type { Usage } from "../../../src/protocol/usage.ts";

export type Step =
  | { do: "start"; messageId?: string; requestId?: string }
  | { do: "raw"; event: RawStreamEvent }
  | { do: "block"; block: ContentBlock; invalidInput?: string }
  /** `deaf`: goes on sleeping after an abort. */
  | { do: "sleep"; ms: number; deaf?: true }
  | { do: "hang"; deaf?: true }
  | { do: "throw"; message: string }
  /** A hook for the test at this point of the stream. */
  | { do: "effect"; effect: () => void | Promise<void> };

export interface Reply {
  steps: Step[];
  outcome: ModelOutcome;
  /** Text of the block that is open when an abort cuts the reply. */
  partialText?: string;
}

export type Script = readonly Reply[] | ((request: ModelRequest, call: number) => Reply);

const someUsage: Usage = {
  inputTokens: 100,
  outputTokens: 20,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 0,
};

export function usageOf(outputTokens: number): Usage {
  return { ...someUsage, outputTokens };
}

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/** Signed, unless `null` says that the block was cut before its signature. */
export function thinkingBlock(thinking: string, signature: string | null = `sig:${thinking}`): ContentBlock {
  return signature === null ? { type: "thinking", thinking } : { type: "thinking", thinking, signature };
}

let callCount = 0;

/** A call with an id of its own, unless one is given. */
export function toolUse(name: string, input: Record<string, unknown> = {}, id = `toolu_${++callCount}`): ToolUseBlock {
  return { type: "tool_use", id, name, input };
}

export function block(content: ContentBlock, invalidInput?: string): Step {
  return invalidInput === undefined ? { do: "block", block: content } : { do: "block", block: content, invalidInput };
}

type OkOutcome = Extract<ModelOutcome, { ok: true }>;

/** Blocks or steps, then an end: `tool_use` where there is a call, else `end_turn`. */
export function reply(parts: readonly (ContentBlock | Step)[], end: Partial<OkOutcome> = {}): Reply {
  const steps = parts.map((part): Step => ("do" in part ? part : { do: "block", block: part }));
  const hasCall = steps.some((step) => step.do === "block" && step.block.type === "tool_use");
  const start: Step[] = steps[0]?.do === "start" ? [] : [{ do: "start" }];
  return {
    steps: [...start, ...steps],
    outcome: { ok: true, stopReason: hasCall ? "tool_use" : "end_turn", usage: someUsage, ...end },
  };
}

export function say(text: string, end: Partial<OkOutcome> = {}): Reply {
  return reply([textBlock(text)], end);
}

export function call(...calls: ToolUseBlock[]): Reply {
  return reply(calls);
}

export function truncated(text: string, end: Partial<OkOutcome> = {}): Reply {
  return reply(text === "" ? [] : [textBlock(text)], { stopReason: "max_tokens", ...end });
}

const recoveries: Partial<Record<FailureKind, ModelFailure["recovery"]>> = {
  rate_limit: "retry",
  overloaded: "retry",
  server_error: "retry",
  connection: "retry",
  stalled: "retry",
  truncated_stream: "retry",
  prompt_too_long: "overflow",
  media: "media",
  thinking_rejected: "thinking",
  model_not_found: "fallback",
};

export function failure(kind: FailureKind, more: Partial<ModelFailure> = {}): ModelFailure {
  return {
    kind,
    message: `The model's side said: ${kind}.`,
    recovery: recoveries[kind] ?? "none",
    ...(kind === "overloaded" ? { overload: true, status: 529 } : {}),
    ...more,
  };
}

/** Fails before anything was streamed. */
export function fail(kind: FailureKind, more: Partial<ModelFailure> = {}): Reply {
  return { steps: [], outcome: { ok: false, failure: failure(kind, { status: 400, ...more }) } };
}

/** Fails in the middle of a stream, after `parts`. */
export function cut(
  parts: readonly (ContentBlock | Step)[],
  kind: FailureKind = "truncated_stream",
  more: Partial<ModelFailure> = {},
): Reply {
  return { ...reply(parts), outcome: { ok: false, failure: failure(kind, more), usage: usageOf(7) } };
}
