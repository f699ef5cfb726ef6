/** Makes a call's result fit the conversation: stores it elsewhere if it is too long, and makes its images fit. */
import { errorText } from "../lib/error-text.ts";
import { contentText } from "../protocol/block-text.ts";
import type { ContextPort } from "../protocol/context.ts";
import type { ToolResultContent } from "../protocol/message.ts";
import { rethrowIfLeft, waitFor, type Steps } from "../lib/steps.ts";
import { withTimeLimit } from "../lib/with-time-limit.ts";
import { isToolResultContent } from "./replaced-output.ts";
import type { Run } from "./run.ts";
import type { CallOutcome, CallRequest } from "./tool-scope.ts";
import type { CallCancel } from "./cancel.ts";

export interface ResultLimits {
  call: CallRequest & { cancel: CallCancel };
  /** The most characters this result may have. */
  maxChars: number;
  /** Characters that other results of the same message already use. */
  usedChars: number;
}

/** Returns the size of content in characters. */
export function contentLength(content: ToolResultContent): number {
  return typeof content === "string" ? content.length : contentText(content).length;
}

export function* fitResultContent(
  run: Run,
  outcome: CallOutcome,
  size: number,
  { call, maxChars, usedChars }: ResultLimits,
): Steps<never, ToolResultContent> {
  const { clock, context } = run.ports;
  const { one, all } = alwaysFittingSizes(context);
  const inMessage = usedChars + size;
  const isShort = size <= Math.min(maxChars, one) && inMessage <= Math.min(run.limits.resultCharsPerMessage, all);
  if (isShort && !mayHoldMedia(outcome)) return outcome.content;
  let why = "no answer in time";
  try {
    const { signal } = call.cancel;
    const limits = { toolName: call.block.name, toolUseId: call.block.id, maxChars, usedChars, signal };
    const fitting = context.fitToolResult(outcome.content, limits);
    const fitted = yield* waitFor(withTimeLimit(clock, run.limits.portMs, fitting));
    if (isToolResultContent(fitted)) return fitted;
    if (fitted !== null) why = "it returned no tool result";
  } catch (error) {
    rethrowIfLeft(error);
    why = errorText(error);
  }
  return `${contentText(outcome.content).slice(0, Math.min(maxChars, one, 10_000))}\n[The rest was left out; storing it failed: ${why}]`;
}

const unlimitedSizes = { one: Infinity, all: Infinity };

/** Returns the sizes that always fit. A broken port must not keep a call from getting its result. */
function alwaysFittingSizes(context: ContextPort): { one: number; all: number } {
  try {
    return context.resultChars?.() ?? unlimitedSizes;
  } catch {
    return unlimitedSizes;
  }
}

/** An error result is sent as text alone. */
function mayHoldMedia({ content, isError }: CallOutcome): boolean {
  return typeof content !== "string" && !isError && content.some((block) => block.type !== "text");
}
