/** Completes a run with few or no notes: infers from its messages how it began, what failed in it and how it ended. */
import { isAnswer } from "../../protocol/answers.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { AssistantMessage, AttachmentMessage, Message } from "../../protocol/message.ts";
import type { ModelFailure } from "../../protocol/model.ts";
import type { RunBegin, RunNote } from "../../protocol/record.ts";
import type { FailureKind, Terminal } from "../../protocol/stop.ts";
import { budgetInNudge, interruptedDuringTools, windowFullId } from "../../loop/texts.ts";
import type { RecordedRun, RunEntry } from "../../transcript/runs.ts";

/** Returns the run with the missing parts filled in, or undefined if no model answered in it. */
export function inferMissingParts(run: RecordedRun): { run: RecordedRun; begin: RunBegin } | undefined {
  if (run.begin !== undefined) return { run, begin: run.begin };
  const messages = run.entries.flatMap((entry) => (entry.kind === "message" ? [entry.message] : []));
  const begin = inferBegin(messages);
  if (begin === undefined) return undefined;
  const isNoted = run.end !== undefined;
  const entries = isNoted ? run.entries : withFailures(withoutAftermath(run.entries));
  return { begin, run: { ...run, begin, entries, end: run.end ?? inferEnd(messages) } };
}

function inferBegin(messages: readonly Message[]): RunBegin | undefined {
  const first = messages.find((message) => message.type === "response_end" || isAnswer(message));
  if (first?.type !== "response_end" && first?.type !== "assistant") return undefined;
  const limits: Record<string, number> = {};
  const fallbackModels: string[] = [];
  let blocks = 0;
  for (const message of messages) {
    if (message.type === "attachment" && message.attachment.kind === "max_turns_reached")
      limits["maxTurns"] = message.attachment.maxTurns;
    if (message.type === "transition") blocks = message.transition.reason === "stop_hook_blocking" ? blocks + 1 : 0;
    if (message.type === "user" && message.origin === "token_budget") {
      const budget = budgetInNudge(blockText(message.content));
      if (budget !== undefined) limits["tokenBudget"] = budget;
    }
    if (message.type !== "notice") continue;
    if (message.name === "stop_hook_cap") limits["stopHookBlocks"] = blocks;
    const to = message.data?.["to"];
    if (message.name === "model_fallback" && typeof to === "string") fallbackModels.push(to);
  }
  const { model } = first;
  return { at: "begin", model, agentId: null, limits, fallbackModels, thinking: { type: "auto" } };
}

/** Drops what was done to the history after the run was over. */
function withoutAftermath(entries: readonly RunEntry[]): RunEntry[] {
  const last = entries.findLastIndex((entry) => {
    if (entry.kind === "note") return true;
    const { message } = entry;
    return message.type !== "snip_boundary" && (message.type !== "notice" || message.name !== "snip_refused");
  });
  return entries.slice(0, last + 1);
}

/** Adds failures that were withheld while a recovery was attempted, and those that were surfaced. */
function withFailures(entries: readonly RunEntry[]): RunEntry[] {
  const all: RunEntry[] = [];
  /** The position of the pass's failure: after its last answer, or at its start. */
  let at = 0;
  for (const entry of entries) {
    if (entry.kind === "message") {
      const failure = inferFailure(entry.message);
      if (failure !== undefined) all.splice(at, 0, { kind: "note", note: { at: "failure", failure } });
    }
    all.push(entry);
    if (entry.kind === "message" && endsRequest(entry.message)) at = all.length;
  }
  return all;
}

function endsRequest(message: Message): boolean {
  return message.type === "response_end" || message.type === "transition" || message.type === "tombstone";
}

function inferFailure(message: Message): ModelFailure | undefined {
  if (message.type === "transition") {
    const { transition } = message;
    const { reason } = transition;
    if (reason === "reactive_compact_retry" && transition.media === true)
      return { kind: "media", message: "", recovery: "media" };
    const wasTooLong = reason === "collapse_drain_retry" || reason === "reactive_compact_retry";
    return wasTooLong ? { kind: "prompt_too_long", message: "", recovery: "overflow" } : undefined;
  }
  if (message.type !== "assistant" || message.apiError === undefined) return undefined;
  const { kind } = message.apiError;
  // In these cases no request was made, or the answer was too long rather than the prompt.
  if (message.messageId === windowFullId || kind === "max_output_tokens") return undefined;
  return { kind, message: blockText(message.content), recovery: recoveryOf(kind) };
}

function recoveryOf(kind: FailureKind): ModelFailure["recovery"] {
  return kind === "prompt_too_long" ? "overflow" : kind === "media" ? "media" : "none";
}

type RunEnd = Extract<RunNote, { at: "end" }>;

function inferEnd(messages: readonly Message[]): RunEnd | undefined {
  const transition = messages.findLastIndex(({ type }) => type === "transition");
  const last = messages.slice(transition + 1);
  for (const message of last) {
    const terminal = terminalFromMessage(message, last);
    if (terminal !== undefined) return endNote(terminal);
    if (message.type === "user" && message.origin === "interruption") {
      const isDuringTools = blockText(message.content) === interruptedDuringTools;
      return { ...endNote({ reason: isDuringTools ? "aborted_tools" : "aborted_streaming" }), cause: "user" };
    }
  }
  const end = last.findLast((message) => message.type === "response_end");
  const isWhole = end?.type === "response_end" && end.stopReason !== null && countCalls(last) === 0;
  return isWhole ? endNote({ reason: "completed" }) : undefined;
}

function terminalFromMessage(message: Message, pass: readonly Message[]): Terminal | undefined {
  if (message.type === "attachment") return terminalFromAttachment(message, pass);
  return message.type === "assistant" && message.apiError !== undefined ? terminalFromApiError(message) : undefined;
}

function terminalFromAttachment({ attachment }: AttachmentMessage, pass: readonly Message[]): Terminal | undefined {
  if (attachment.kind === "max_turns_reached") return { reason: "max_turns", turnCount: attachment.turnCount };
  if (attachment.kind !== "hook_stopped_continuation") return undefined;
  const isOfTool = countCalls(pass) > 0 && !attachment.event.endsWith("Stop");
  return { reason: isOfTool ? "hook_stopped" : "stop_hook_prevented" };
}

function terminalFromApiError({ messageId, apiError, content }: AssistantMessage): Terminal {
  const kind = apiError?.kind ?? "internal";
  if (messageId === windowFullId) return { reason: "blocking_limit" };
  if (kind === "prompt_too_long") return { reason: "prompt_too_long" };
  if (kind === "media") return { reason: "image_error" };
  return { reason: "model_error", error: { kind, message: blockText(content) } };
}

function endNote(terminal: Terminal): RunEnd {
  return { at: "end", terminal, cause: null };
}

function countCalls(messages: readonly Message[]): number {
  return messages.filter(
    (message) => message.type === "assistant" && message.content.some(({ type }) => type === "tool_use"),
  ).length;
}
