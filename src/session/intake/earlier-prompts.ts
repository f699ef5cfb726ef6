/** Prompts whose process died before their hooks answered: otherwise they would go to the model with the next prompt, unjudged. */
import type { WaitingEvent } from "../../protocol/event.ts";
import type { Message, UserMessage } from "../../protocol/message.ts";
import type { Terminal } from "../../protocol/stop.ts";
import type { Cancel } from "../../loop/cancel.ts";
import { askSubmitHooks, removeBlockedPrompt, type Intake } from "./intake.ts";
import type { JudgedPrompt } from "./judged-prompt.ts";
import { recordAll, terminalOf } from "./record-all.ts";
import { contextMessage } from "../store/own-records.ts";

type IntakeEvent = Message | WaitingEvent;

const event = "UserPromptSubmit";

/** Uuids of the unjudged prompts recorded before this one. */
export function earlierUnjudged({ conversation }: Pick<Intake, "conversation">, judged: JudgedPrompt): string[] {
  return [...conversation.unjudged].filter((uuid) => uuid !== judged.uuid);
}

/** Yields what was recorded. Returns a Terminal if the turn cannot go on: nobody typed its own prompt, and the typed one is blocked. */
export async function* judgeEarlierPrompts(
  intake: Intake,
  judged: JudgedPrompt,
  cancel: Cancel,
): AsyncGenerator<IntakeEvent, Terminal | null> {
  const { conversation, hooks } = intake;
  const byUuid = (uuid: string) => conversation.messages.find((message) => message.uuid === uuid);
  const next = byUuid(judged.uuid);
  const isContinuation = next?.type === "user" && next.isMeta === true;
  for (const uuid of earlierUnjudged(intake, judged)) {
    const prompt = byUuid(uuid);
    const needsJudging = prompt?.type === "user" && hooks.has(event);
    const ended = needsJudging
      ? yield* judgeEarlierPrompt(intake, prompt, isContinuation ? judged.recordUuids : [], cancel)
      : null;
    // Hooks that were cut off have not let the prompt pass.
    if (needsJudging && cancel.signal.aborted) return null;
    conversation.unjudged.delete(uuid);
    if (ended?.reason === "model_error" || (ended !== null && isContinuation)) return ended;
  }
  return null;
}

/** `otherUuids`: uuids of the messages that are taken out with it. */
async function* judgeEarlierPrompt(
  intake: Intake,
  { uuid, content }: UserMessage,
  otherUuids: readonly string[],
  cancel: Cancel,
): AsyncGenerator<IntakeEvent, Terminal | null> {
  const answer = yield* askSubmitHooks(intake, content, cancel);
  const { notices, additionalContext, blocking, preventContinuation } = answer;
  const why = blocking[0] ?? preventContinuation;
  const text = `A hook blocked the prompt that the session was cut off at: ${why}`;
  if (why !== undefined) return yield* removeBlockedPrompt(intake, [uuid, ...otherUuids], notices, text);
  const contexts = additionalContext.map((each) => contextMessage(event, each, intake));
  return terminalOf(yield* recordAll(intake.conversation, [...notices, ...contexts]));
}
