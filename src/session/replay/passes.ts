/** A recorded run as a script for its parts: the passes of the loop, each with its attempts, calls and joined messages. */
import type {
  AssistantMessage,
  AttachmentMessage,
  Message,
  NoticeMessage,
  ResponseEndMessage,
  ToolResultBlock,
  ToolUseBlock,
  TransitionMessage,
  UserMessage,
} from "../../protocol/message.ts";
import type { LoopNoticeName } from "../../loop/drafts.ts";
import type { ModelFailure } from "../../protocol/model.ts";
import type { MidRunNote, RunEntry } from "../../transcript/runs.ts";

export interface Attempt {
  blocks: AssistantMessage[];
  end?: ResponseEndMessage;
  failure?: ModelFailure;
  isOver: boolean;
}

export interface Pass {
  /** All messages recorded in the pass, in order. */
  messages: Message[];
  /** What the defences of the context window recorded before the request. */
  fitted: Message[];
  attempts: Attempt[];
  /** Set if the user had chosen another model before the request. */
  chosenModel: Extract<MidRunNote, { at: "model" }> | undefined;
  /** How the fallback models that took over in this pass were asked, by model. */
  fallbacks: Map<string, Extract<MidRunNote, { at: "fallback" }>>;
  cut: Extract<MidRunNote, { at: "cut" }> | null;
  /** What the defences recorded after the request was refused. */
  recovered: Message[];
  calls: ToolUseBlock[];
  results: Map<string, ToolResultBlock & { output?: unknown }>;
  /** What hooks told people. */
  notices: NoticeMessage[];
  /** Messages that joined at its end; files that prompts mention may be user messages. */
  joinedMessages: (AttachmentMessage | UserMessage)[];
  /** Messages that calls added after their results. */
  followUps: UserMessage[];
  transition: TransitionMessage | null;
}

/**
 * Where the notices come from in a replay. `loop`: the loop makes them again. `attempt_end`: the same, and they end an attempt. `port`: a
 * port gives them, like all notices that are not listed.
 */
const noticeOrigins: Record<LoopNoticeName, "loop" | "attempt_end" | "port"> = {
  answer_cut: "loop",
  answer_unfinished: "loop",
  blocks_left_out: "attempt_end",
  empty_answer: "loop",
  field_left_out: "attempt_end",
  history_mended: "loop",
  hook: "port",
  hook_failed: "port",
  mention_failed: "port",
  model_fallback: "attempt_end",
  out_of_tries: "loop",
  prompt_blocked: "port",
  stop_hook_cap: "loop",
  summary_repaired: "attempt_end",
  thinking_repaired: "attempt_end",
  token_budget_unspent: "loop",
};

function noticeOrigin({ name }: NoticeMessage): "loop" | "attempt_end" | "port" {
  return Object.hasOwn(noticeOrigins, name) ? noticeOrigins[name as LoopNoticeName] : "port";
}

const loopAttachments: ReadonlySet<string> = new Set(["max_turns_reached", "hook_stopped_continuation"]);

export function attachmentsOf({ joinedMessages }: Pass): AttachmentMessage[] {
  return joinedMessages.filter((message) => message.type === "attachment");
}

export function splitIntoPasses(entries: readonly RunEntry[]): Pass[] {
  const passes: Pass[] = [];
  let pass = emptyPass();
  for (const entry of entries) {
    if (entry.kind === "note") takeNote(pass, entry.note);
    else takeMessage(pass, entry.message);
    if (pass.transition === null) continue;
    passes.push(pass);
    pass = emptyPass();
  }
  return [...passes, pass];
}

function emptyPass(): Pass {
  return {
    messages: [],
    fitted: [],
    attempts: [],
    chosenModel: undefined,
    fallbacks: new Map(),
    cut: null,
    recovered: [],
    calls: [],
    results: new Map(),
    notices: [],
    joinedMessages: [],
    followUps: [],
    transition: null,
  };
}

function takeNote(pass: Pass, note: MidRunNote): void {
  if (note.at === "cut") pass.cut = note;
  else if (note.at === "model") pass.chosenModel = note;
  else if (note.at === "fallback") pass.fallbacks.set(note.model, note);
  else if (note.at === "failure") openAttempt(pass).failure = note.failure;
  else closeAttempt(pass);
}

function takeMessage(pass: Pass, message: Message): void {
  pass.messages.push(message);
  switch (message.type) {
    case "assistant":
      if (message.apiError === undefined) takeBlock(pass, message);
      return;
    case "response_end":
      return takeEnd(pass, message);
    case "user":
      return takeUser(pass, message);
    case "notice": {
      const origin = noticeOrigin(message);
      if (origin === "attempt_end") closeAttempt(pass);
      if (origin === "port") placeMessage(pass, message, pass.notices);
      return;
    }
    case "attachment":
      if (!loopAttachments.has(message.attachment.kind)) placeMessage(pass, message, pass.joinedMessages);
      return;
    case "transition":
      pass.transition = message;
      return;
    case "thinking_stripped":
      if (message.reason !== "rejected") placeMessage(pass, message, pass.recovered);
      return;
    case "tombstone":
      return;
    case "compact_boundary":
    case "snip_boundary":
    case "results_cleared":
    case "collapse_commit":
      placeMessage(pass, message, pass.recovered);
      return;
    default:
      return message satisfies never;
  }
}

/** Anything before the first attempt belongs to the defences. */
function placeMessage<M extends Message>(pass: Pass, message: M, later: M[]): void {
  if (pass.attempts.length === 0) pass.fitted.push(message);
  else later.push(message);
}

function takeBlock(pass: Pass, message: AssistantMessage): void {
  const open = pass.attempts.at(-1);
  const continuesAttempt =
    open !== undefined && !open.isOver && (open.blocks[0]?.messageId ?? message.messageId) === message.messageId;
  const attempt = continuesAttempt && open.failure === undefined ? open : newAttempt(pass);
  attempt.blocks.push(message);
  for (const block of message.content) if (block.type === "tool_use") pass.calls.push(block);
}

function takeEnd(pass: Pass, end: ResponseEndMessage): void {
  const open = pass.attempts.at(-1);
  const isOwn =
    open !== undefined &&
    !open.isOver &&
    open.end === undefined &&
    (open.blocks[0]?.messageId ?? end.messageId) === end.messageId;
  const attempt = isOwn ? open : newAttempt(pass);
  attempt.end = end;
  attempt.isOver = true;
}

function takeUser(pass: Pass, message: UserMessage): void {
  let isResult = false;
  for (const block of message.content) {
    if (block.type !== "tool_result") continue;
    isResult = true;
    pass.results.set(block.tool_use_id, { ...block, output: message.toolUseResult });
  }
  if (message.origin === "command") placeMessage(pass, message, pass.joinedMessages);
  else if (!isResult && message.origin === undefined) placeMessage(pass, message, pass.followUps);
}

/** Returns the attempt to which a failure belongs: the last one, if it has not ended. */
function openAttempt(pass: Pass): Attempt {
  const open = pass.attempts.at(-1);
  return open === undefined || open.isOver || open.failure !== undefined ? newAttempt(pass) : open;
}

function newAttempt(pass: Pass): Attempt {
  closeAttempt(pass);
  const attempt: Attempt = { blocks: [], isOver: false };
  pass.attempts.push(attempt);
  return attempt;
}

function closeAttempt(pass: Pass): void {
  const open = pass.attempts.at(-1);
  if (open !== undefined) open.isOver = true;
}
