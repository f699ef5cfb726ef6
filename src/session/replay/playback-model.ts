/** The model of a replay: it repeats the recorded answers. */
import { tryParseRecord } from "../../lib/try-parse-json.ts";
import { categoryOfRefusal } from "../../loop/texts.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { AssistantMessage, ContentBlock } from "../../protocol/message.ts";
import type { ModelEvent, ModelInfo, ModelOutcome, ModelPort, ModelRequest } from "../../protocol/model.ts";
import { noUsage } from "../../protocol/usage.ts";
import { whenAborted, type Playback } from "./playback.ts";
import type { Attempt } from "./passes.ts";

type Answer = AsyncGenerator<ModelEvent, ModelOutcome>;

export function replayModel(
  playback: Playback,
  infoOf: (model: string) => ModelInfo,
  onRequest: (request: ModelRequest, isPaused: boolean) => void,
): ModelPort {
  return {
    stream(request, signal) {
      onRequest(request, playback.isPaused);
      return replayAnswer(playback, playback.takeAttempt(), signal);
    },
    measure: () => ({ bytes: 0 }),
    info(model) {
      // Prefixes are not recorded: thinking that depends on another prefix is only dropped where the recording says so.
      const info = { ...infoOf(model), thinkingBoundToPrefix: false };
      const { cut } = playback.pass;
      return cut === null ? info : { ...info, maxOutputTokens: cut.modelMaxTokens };
    },
  };
}

async function* replayAnswer(playback: Playback, attempt: Attempt | undefined, signal: AbortSignal): Answer {
  if (attempt === undefined) return await cancelledOutcome(signal, {});
  const { blocks, end } = attempt;
  const first = blocks[0] ?? end;
  if (first !== undefined) yield startEvent(first, end);
  let index = 0;
  for (const message of blocks) {
    if (message.aborted === true) continue;
    for (const block of message.content) {
      // Otherwise the call would be among those that the failure ends.
      if (block.type === "tool_use" && playback.isRequestedAfterFailure(block.id)) await playback.whenQuiet();
      yield { type: "block", index: index++, block, ...recordedInvalidInput(playback, block) };
    }
  }
  return await outcomeOf(playback, attempt, signal);
}

function startEvent({ messageId, requestId }: Pick<AssistantMessage, "messageId" | "requestId">, end: Attempt["end"]) {
  const id = requestId === undefined ? {} : { requestId };
  return { type: "start" as const, messageId, ...id, usage: end?.usage ?? noUsage };
}

/** An input that did not parse is only recorded in the call's result. */
function recordedInvalidInput({ pass }: Playback, block: ContentBlock): { invalidInput?: string } {
  if (block.type !== "tool_use") return {};
  const content = pass.results.get(block.id)?.content;
  if (typeof content !== "string" || !content.startsWith('{"INVALID_JSON":')) return {};
  const invalidInput = tryParseRecord(content)?.["INVALID_JSON"];
  return typeof invalidInput === "string" ? { invalidInput } : {};
}

async function outcomeOf(playback: Playback, attempt: Attempt, signal: AbortSignal): Promise<ModelOutcome> {
  const { end, failure } = attempt;
  // The calls made before the failure have finished.
  if (failure !== undefined && playback.pass.calls.length > 0) await playback.whenQuiet();
  const isOwnRefusal = failure?.kind === "refusal" && end?.stopReason === "refusal";
  if (failure !== undefined && !isOwnRefusal)
    return end === undefined ? { ok: false, failure } : { ok: false, failure, usage: end.usage };
  if (end === undefined && playback.terminal?.reason === "model_error") {
    // The end of the answer could not be recorded.
    await playback.whenQuiet();
    return { ok: true, stopReason: "end_turn", usage: noUsage };
  }
  if (end === undefined || isCutByInterrupt(playback, attempt)) return await cancelledOutcome(signal, attempt);
  if (playback.isInterruptedAtItsEnd && playback.isStoppedByRefusal) await whenAborted(signal);
  else if (playback.isInterruptedAtItsEnd) {
    await playback.whenQuiet();
    playback.cancel.cancel(playback.cause);
  }
  const category = failure === undefined ? undefined : categoryOfRefusal(failure.message);
  const isPartial = playback.pass.cut !== null && end.stopReason !== "max_tokens" && !playback.hasAttemptsLeft;
  return {
    ok: true,
    stopReason: end.stopReason,
    usage: end.usage,
    ...(category === undefined ? {} : { stopDetails: { category } }),
    ...(isPartial ? { partialToolUse: true } : {}),
  };
}

/** Whether an interruption cut the answer: its end then only records the usage so far. */
function isCutByInterrupt(playback: Playback, { end }: Attempt): boolean {
  const reason = playback.terminal?.reason;
  return playback.isInterruptedHere && end?.stopReason === null && reason === "aborted_streaming";
}

/** Waits for the end of the run. Keeps the text of an unfinished block. */
async function cancelledOutcome(signal: AbortSignal, { blocks = [], end }: Partial<Attempt>): Promise<ModelOutcome> {
  await whenAborted(signal);
  const failure = { kind: "aborted", message: "The request was cancelled.", recovery: "none" } as const;
  const partialText = blocks.filter(({ aborted: isCut }) => isCut === true).map(({ content }) => blockText(content));
  return {
    ok: false,
    failure,
    ...(end === undefined ? {} : { usage: end.usage }),
    ...(partialText.length === 0 ? {} : { partialText: partialText.join("") }),
  };
}
