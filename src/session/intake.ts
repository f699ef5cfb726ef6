/** What the user submits becomes records, before anything is asked of anyone: the first ones of a session, the prompt, what hooks say of it. */
import type { QueryEvent, WaitingEvent } from "../protocol/event.ts";
import type { HookInput } from "../protocol/hook.ts";
import type { Attachment, ContentBlock, Message } from "../protocol/message.ts";
import type { Failure, Terminal } from "../protocol/stop.ts";
import type { OwnedHooks } from "../hooks/run.ts";
import type { Cancel } from "../loop/cancel.ts";
import type { ClockPort, IdPort } from "../loop/ports.ts";
import type { Conversation } from "./conversation.ts";
import { invalid, promptText } from "./prompt.ts";

export interface Intake {
  /** Of `Setup` hooks, which come first; absent: none do. */
  setup?: "init" | "maintenance" | undefined;
  conversation: Conversation;
  hooks: OwnedHooks;
  clock: ClockPort;
  ids: IdPort;
  /** Memory files and the date, as text: the first message. */
  context: (timestamp: string) => string;
}

export interface PromptOptions {
  uuid?: string;
  isMeta?: boolean;
  isVerbatim?: boolean;
}

export type Recorded = { ok: true; uuid: string } | { ok: false; failure: Failure };

/** Records the prompt, after the context where it is the first. One that was recorded already, and not answered, is not recorded again. */
export function recordPrompt(
  { conversation, clock, ids, context }: Intake,
  prompt: ContentBlock[],
  { uuid: given = "", isMeta }: PromptOptions,
): Recorded {
  const uuid = given === "" ? ids.uuid() : given;
  const known = given === "" ? -1 : conversation.messages.findIndex((message) => message.uuid === uuid);
  if (known >= 0) {
    const isAnswered = conversation.messages.slice(known).some((message) => message.type === "assistant");
    if (!isAnswered) return { ok: true, uuid };
    return {
      ok: false,
      failure: invalid(`The message ${uuid} was answered already: give a new one an id of its own.`),
    };
  }
  const own = () => ({ type: "user" as const, uuid: ids.uuid(), timestamp: clock.timestamp() });
  const messages: Message[] = [];
  if (conversation.messages.length === 0) {
    const first = own();
    const content = [{ type: "text" as const, text: context(first.timestamp) }];
    messages.push({ ...first, content, isMeta: true, origin: "context" });
  }
  const said = { ...own(), uuid, content: structuredClone(prompt) };
  messages.push(isMeta === true ? { ...said, isMeta } : { ...said, origin: "human" });
  for (const message of messages) {
    const written = conversation.append(message);
    if (!written.ok) return written;
  }
  return { ok: true, uuid };
}

type Told = Message | WaitingEvent;

const shownAfterMs = 100;
/** The longest a hook may take. */
const hookLimitMs = 600_000;
const agentLimitMs = 24 * 60 * 60_000;

/** Nobody is kept waiting without a name for it. Hooks and agents have limits of their own, and end with the turn, also where its reader leaves. */
export async function* shownWhileItLasts<T>(
  asked: Promise<T>,
  name: string,
  clock: ClockPort,
  cancel: Cancel,
  on: "hook" | "agent" = "hook",
): AsyncGenerator<WaitingEvent, T> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const stop = clock.timer(shownAfterMs, () => resolve(null));
  const first = await Promise.race([asked, late]);
  stop();
  if (first !== null) return first;
  let isLeft = true;
  try {
    const limitMs = on === "hook" ? hookLimitMs : agentLimitMs;
    yield { type: "waiting", key: `t0.${name}`, on, name, limitMs };
    isLeft = false;
  } finally {
    if (isLeft) cancel.cancel("consumer");
    await asked;
  }
  return await asked;
}

export type StartSource = "startup" | "resume" | "fork" | "clear";

/** What hooks are told of a beginning, in this order. */
export function startInputs(source: StartSource, isAgent: boolean, setup: Intake["setup"]): HookInput[] {
  if (isAgent) return [{ hook_event_name: "SubagentStart" }];
  const session = { hook_event_name: "SessionStart" as const, source };
  return setup === undefined ? [session] : [{ hook_event_name: "Setup", trigger: setup }, session];
}

/** Setup, SessionStart or SubagentStart hooks, before the first words: yields what was recorded of them. They block nothing; a failure is the transcript's. */
export async function* askStartHooks(
  { conversation, hooks, clock, ids }: Intake,
  inputs: readonly HookInput[],
  cancel: Cancel,
): AsyncGenerator<Told, Failure | null> {
  for (const input of inputs) {
    const { hook_event_name: event } = input;
    if (!hooks.has(event)) continue;
    const asked = hooks.run(input, cancel.signal);
    const { notices, additionalContext } = yield* shownWhileItLasts(asked, event, clock, cancel);
    const contexts = additionalContext.map((text) => contextMessage(event, text, { clock, ids }));
    const failed = yield* recordAll(conversation, [...notices, ...contexts]);
    if (failed !== null) return failed;
  }
  return null;
}

/** What happened since the last turn, told with the prompt: yields what was recorded of it. */
export function tellNews(
  { conversation, clock, ids }: Intake,
  news: readonly Attachment[],
): AsyncGenerator<Message, Failure | null> {
  const own = () => ({ uuid: ids.uuid(), timestamp: clock.timestamp() });
  return recordAll(
    conversation,
    news.map((attachment) => ({ type: "attachment", ...own(), attachment })),
  );
}

export function contextMessage(event: string, text: string, { clock, ids }: Pick<Intake, "clock" | "ids">): Message {
  const attachment = { kind: "hook_context" as const, event, text };
  return { type: "attachment", uuid: ids.uuid(), timestamp: clock.timestamp(), attachment };
}

export async function* recordAll(
  conversation: Conversation,
  records: readonly Message[],
): AsyncGenerator<Message, Failure | null> {
  for (const record of records) {
    const written = conversation.append(record);
    if (!written.ok) return written.failure;
    yield record;
  }
  return null;
}

/**
 * UserPromptSubmit hooks: yields what was recorded of them. The Terminal where one blocked the prompt, which is then taken out of
 * the conversation with all that was said of it, or where that could not be recorded.
 */
export async function* askSubmitHooks(
  { conversation, hooks, clock, ids }: Intake,
  prompt: ContentBlock[],
  uuid: string,
  cancel: Cancel,
): AsyncGenerator<Told, Terminal | null> {
  if (!hooks.has("UserPromptSubmit")) return null;
  const asked = hooks.run({ hook_event_name: "UserPromptSubmit", prompt: promptText(prompt) }, cancel.signal);
  const answer = yield* shownWhileItLasts(asked, "UserPromptSubmit", clock, cancel);
  const own = () => ({ uuid: ids.uuid(), timestamp: clock.timestamp() });
  const why = answer.blocking[0] ?? answer.preventContinuation;
  const records: Message[] = [...answer.notices];
  if (why === undefined) {
    for (const text of answer.additionalContext) records.push(contextMessage("UserPromptSubmit", text, { clock, ids }));
  } else {
    records.push({ type: "tombstone", ...own(), targets: [uuid], reason: "refusal" });
    const text = `A hook blocked the prompt: ${why}`;
    records.push({ type: "notice", ...own(), level: "warning", name: "prompt_blocked", text });
  }
  const failed = yield* recordAll(conversation, records);
  if (failed !== null) return { reason: "model_error", error: failed };
  return why === undefined ? null : { reason: "stop_hook_prevented" };
}

export interface TurnOpening {
  /** What happened since the last turn. */
  news: readonly Attachment[];
  /** Asked for when hooks are told of it; empty where they were told of the beginning. */
  starting: () => readonly HookInput[];
  /** What an agent is told, no person has written. */
  isAgent: boolean;
  prompt: ContentBlock[];
  uuid: string;
  cancel: Cancel;
  /** Skills and files the prompt names; a Terminal where one is refused. */
  expand: () => AsyncGenerator<QueryEvent, Terminal | null>;
}

/** All that comes between a recorded prompt and the model: yields what was recorded of it, answers the Terminal of a turn that ends here. */
export async function* openTurn(intake: Intake, opening: TurnOpening): AsyncGenerator<QueryEvent, Terminal | null> {
  const { news, starting, isAgent, prompt, uuid, cancel, expand } = opening;
  const untold = yield* tellNews(intake, news);
  const failed = untold ?? (yield* askStartHooks(intake, starting(), cancel));
  if (failed !== null) return { reason: "model_error", error: failed };
  if (isAgent) return null;
  return (yield* expand()) ?? (yield* askSubmitHooks(intake, prompt, uuid, cancel));
}
