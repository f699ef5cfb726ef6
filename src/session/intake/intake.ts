/** Turns what the user submits into records before anyone is asked: a session's first records, the prompt, and what hooks say about it. */
import { withTimeLimit } from "../../lib/with-time-limit.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { WaitingEvent } from "../../protocol/event.ts";
import type { HookAnswer, HookEvent, HookInput } from "../../protocol/hook.ts";
import type { SDKMessageOrigin } from "../../protocol/sdk-origin.ts";
import type { Attachment, ContentBlock, Message } from "../../protocol/message.ts";
import type { Failure, Terminal } from "../../protocol/stop.ts";
import { attachmentRecord, newRecordFields } from "../../protocol/new-record.ts";
import type { OwnedHooks } from "../../hooks/run.ts";
import type { Cancel } from "../../loop/cancel.ts";
import type { ClockPort, IdPort } from "../../loop/ports.ts";
import type { Conversation } from "../store/conversation.ts";
import { clientMessageId } from "../store/client-ids.ts";
import type { JudgedPrompt } from "./judged-prompt.ts";
import { commandMessage, contextMessage, removalRecords } from "../store/own-records.ts";
import { invalidRequest } from "./prompt.ts";
import { recordAll, terminalOf } from "./record-all.ts";
import type { InputQueue } from "./queue.ts";
import { titleOf } from "../options/title.ts";

export interface Intake {
  /** Trigger of `Setup` hooks, which run first; absent: none run. */
  setup?: "init" | "maintenance" | undefined;
  conversation: Conversation;
  hooks: OwnedHooks;
  clock: ClockPort;
  ids: IdPort;
  /** Memory files and the date, as text: the first message. */
  context: (timestamp: string) => string;
  /** The session's title. */
  naming: { readonly title: string | undefined; setTitle(title: string): unknown };
  /** Rescans the skills; returns what the model has to know about changes. */
  reloadSkills: () => Promise<readonly Attachment[]>;
  /** Called for a prompt of the user's own. */
  onUser: () => void;
  /** Nobody types, so hooks may begin the conversation. */
  isHeadless: boolean;
}

export interface SubmitOptions {
  /** The message's uuid, which may be a client's own id. */
  uuid?: string | undefined;
  isMeta?: boolean | undefined;
  /** Passed to the model as it is: neither commands nor file names in it are expanded. For text that others wrote. */
  isVerbatim?: boolean | undefined;
  /** Repeated in the result. */
  origin?: SDKMessageOrigin | undefined;
}

export type Recorded = { ok: true; uuid: string } | { ok: false; failure: Failure };

/**
 * Records the prompt, after the context if it is the first. A prompt that is already recorded and unanswered is not recorded
 * again. `isJudged`: its hooks are asked next.
 */
export function recordPrompt(
  { conversation, hooks, clock, ids, context, onUser }: Intake,
  prompt: ContentBlock[],
  { uuid: givenUuid = "", isMeta }: SubmitOptions,
  isJudged: boolean,
): Recorded {
  const known =
    givenUuid === "" ? -1 : conversation.messages.findIndex((message) => clientMessageId(message) === givenUuid);
  const isSummedUp = givenUuid !== "" && conversation.isSummedUp(givenUuid);
  if (known >= 0 || isSummedUp) {
    const isAnswered = conversation.messages.slice(known).some((message) => message.type === "assistant");
    const recorded = conversation.messages[known];
    if (!isAnswered && !isSummedUp) return { ok: true, uuid: recorded?.type === "user" ? recorded.uuid : givenUuid };
    return {
      ok: false,
      failure: invalidRequest(`The message ${givenUuid} was answered already: give a new message an id of its own.`),
    };
  }
  // The id of a message that was taken out stays on record for good.
  const isIdUsed = givenUuid !== "" && conversation.isOnRecord(givenUuid);
  const uuid = givenUuid === "" || isIdUsed ? ids.uuid() : givenUuid;
  const newMessageFields = () => ({ type: "user" as const, ...newRecordFields({ clock, ids }) });
  const messages: Message[] = [];
  if (conversation.messages.length === 0) {
    const first = newMessageFields();
    const content = [{ type: "text" as const, text: context(first.timestamp) }];
    messages.push({ ...first, content, isMeta: true, origin: "context" });
  }
  const awaiting = isJudged && hooks.has("UserPromptSubmit") ? { awaitsHooks: true as const } : {};
  const source = isIdUsed ? { sourceUuid: givenUuid } : {};
  const promptMessage = { ...newMessageFields(), uuid, content: structuredClone(prompt), ...awaiting, ...source };
  messages.push(isMeta === true ? { ...promptMessage, isMeta } : { ...promptMessage, origin: "human" });
  for (const message of messages) {
    const written = conversation.append(message);
    if (!written.ok) return written;
  }
  if ("awaitsHooks" in promptMessage) conversation.unjudged.add(uuid);
  if (isMeta !== true) onUser();
  return { ok: true, uuid };
}

type IntakeEvent = Message | WaitingEvent;

const shownAfterMs = 100;
/** The longest that a hook may take. */
const limitMs = 600_000;

/** Tells the reader what it is waiting for. Hooks have limits of their own, and end with the turn, also if its reader leaves. */
export async function* showWhileWaiting<T>(
  work: Promise<T>,
  name: string,
  clock: ClockPort,
  cancel: Cancel,
): AsyncGenerator<WaitingEvent, T> {
  const first = await withTimeLimit(clock, shownAfterMs, work);
  if (first !== null) return first;
  let isLeft = true;
  try {
    yield { type: "waiting", key: `t0.${name}`, on: "hook", name, limitMs };
    isLeft = false;
  } finally {
    if (isLeft) cancel.cancel("consumer");
    await work;
  }
  return await work;
}

export type StartSource = "startup" | "resume" | "fork" | "clear";

/** The hook inputs for the beginning, in this order. */
export function startHookInputs(
  source: StartSource,
  model: string,
  isAgent: boolean,
  setup: Intake["setup"],
): HookInput[] {
  if (isAgent) return [{ hook_event_name: "SubagentStart" }];
  const session = { hook_event_name: "SessionStart" as const, source, model };
  return setup === undefined ? [session] : [{ hook_event_name: "Setup", trigger: setup }, session];
}

/**
 * Runs Setup, SessionStart or SubagentStart hooks before the first prompt is answered; yields what was recorded of them. They
 * cannot block, but may stop everything, as any hook may: the prompt is then taken out.
 */
export async function* runStartHooks(
  intake: Intake,
  inputs: readonly HookInput[],
  uuid: string,
  cancel: Cancel,
  onAnswered: (event: HookEvent) => void,
): AsyncGenerator<IntakeEvent, Terminal | null> {
  const { conversation, hooks, clock } = intake;
  for (const input of inputs) {
    const { hook_event_name: event, source } = input;
    const hookRun = hooks.run({ ...input, ...titleField(event, intake) }, cancel.signal);
    const answer = yield* showWhileWaiting(hookRun, event, clock, cancel);
    // Hooks that were cut off have not answered.
    if (cancel.signal.aborted) return null;
    const { notices, additionalContext, preventContinuation: why } = answer;
    if (why !== undefined)
      return yield* removeBlockedPrompt(
        intake,
        [uuid],
        notices,
        `A ${event} hook stopped the ${event === "SubagentStart" ? "agent" : "session"}: ${why}`,
      );
    // Called before anything is yielded, because a reader may leave at any yield.
    onAnswered(event);
    if (source !== "clear") adoptTitle(intake, answer);
    const contexts = additionalContext.map((text) => contextMessage(event, text, intake));
    const failed =
      (yield* recordAll(conversation, [...notices, ...contexts, ...initialMessage(intake, answer)])) ??
      (answer.reloadSkills === true ? yield* recordNews(intake, await intake.reloadSkills()) : null);
    if (failed !== null) return { reason: "model_error", error: failed };
  }
  return null;
}

/** The title, for events whose hooks may give another one. */
function titleField(
  event: HookInput["hook_event_name"],
  { naming }: Pick<Intake, "naming">,
): Pick<HookInput, "session_title"> {
  const isAsked = event === "SessionStart" || event === "UserPromptSubmit";
  return isAsked && naming.title !== undefined ? { session_title: naming.title } : {};
}

/** The input for UserPromptSubmit hooks, whenever they are asked. */
export function promptSubmitHookInput(prompt: readonly ContentBlock[], intake: Pick<Intake, "naming">): HookInput {
  const event = "UserPromptSubmit";
  return { hook_event_name: event, prompt: blockText(prompt, "\n"), ...titleField(event, intake) };
}

/** Asks UserPromptSubmit hooks about a prompt. */
export function askSubmitHooks(
  intake: Intake,
  prompt: readonly ContentBlock[],
  cancel: Cancel,
): AsyncGenerator<WaitingEvent, HookAnswer> {
  const work = intake.hooks.run(promptSubmitHookInput(prompt, intake), cancel.signal);
  return showWhileWaiting(work, "UserPromptSubmit", intake.clock, cancel);
}

function adoptTitle({ naming }: Pick<Intake, "naming">, { sessionTitle }: HookAnswer): void {
  const title = titleOf(sessionTitle ?? "");
  if (title !== "") naming.setTitle(title);
}

/** The prompt is already recorded at this point, so the text says that it comes after this message. */
function initialMessage(intake: Intake, { initialUserMessage }: HookAnswer): Message[] {
  if (initialUserMessage === undefined || !intake.isHeadless) return [];
  const text = `The session begins with this message, which a SessionStart hook has written; what the user says above comes after it:\n\n${initialUserMessage}`;
  return [commandMessage(text, intake)];
}

/** A prompt that a hook blocks leaves the conversation, with everything said about it. */
export async function* removeBlockedPrompt(
  intake: Intake,
  targets: string[],
  notices: readonly Message[],
  text: string,
): AsyncGenerator<Message, Terminal> {
  const { conversation } = intake;
  for (const target of targets) conversation.unjudged.delete(target);
  const records = [...notices, ...removalRecords(intake, targets, "prompt_blocked", text)];
  return terminalOf(yield* recordAll(conversation, records)) ?? { reason: "stop_hook_prevented" };
}

/** Reports what happened since the last turn along with the prompt; yields what was recorded. */
export function recordNews(intake: Intake, news: readonly Attachment[]): AsyncGenerator<Message, Failure | null> {
  const records = news.map((attachment) => attachmentRecord(attachment, intake));
  return recordAll(intake.conversation, records);
}

/**
 * Runs UserPromptSubmit hooks; yields what was recorded of them. Returns a Terminal if one blocked the prompt, which is then
 * taken out of the conversation with everything said about it, or if that could not be recorded.
 */
export async function* runSubmitHooks(
  intake: Intake,
  prompt: ContentBlock[],
  judged: JudgedPrompt,
  cancel: Cancel,
): AsyncGenerator<IntakeEvent, Terminal | null> {
  const { conversation, hooks } = intake;
  const { recordUuids } = judged;
  const event = "UserPromptSubmit";
  if (!hooks.has(event)) {
    judged.markJudged(event);
    conversation.unjudged.delete(judged.uuid);
    return null;
  }
  const answer = yield* askSubmitHooks(intake, prompt, cancel);
  const { notices, additionalContext, blocking, preventContinuation } = answer;
  const why = blocking[0] ?? preventContinuation;
  if (why !== undefined)
    return yield* removeBlockedPrompt(intake, recordUuids, notices, `A hook blocked the prompt: ${why}`);
  // Hooks that were cut off have not let the prompt pass.
  if (!cancel.signal.aborted) {
    judged.markJudged(event);
    conversation.unjudged.delete(judged.uuid);
  }
  adoptTitle(intake, answer);
  const contexts = additionalContext.map((text) => contextMessage(event, text, intake));
  recordUuids.push(...contexts.map(({ uuid }) => uuid));
  return terminalOf(yield* recordAll(conversation, [...notices, ...contexts]));
}

/** The same hooks for prompts that are to join a running turn. */
export function createQueueJudges(intake: Pick<Intake, "hooks" | "naming">): InputQueue["judges"] {
  const { hooks } = intake;
  const event = "UserPromptSubmit";
  return {
    isJudged: () => hooks.has(event),
    async judge(prompt, signal) {
      const answer = await hooks.run(promptSubmitHookInput(prompt, intake), signal);
      const { notices, additionalContext, blocking, preventContinuation } = answer;
      const refusal = blocking[0] ?? preventContinuation;
      if (refusal !== undefined) return { refusal, additionalContext, notices };
      adoptTitle(intake, answer);
      return { additionalContext, notices };
    },
  };
}
