/** Prompts typed while a turn runs: hooks judge each one before it joins the conversation. */
import type { QueryEvent } from "../protocol/event.ts";
import type { Message } from "../protocol/message.ts";
import type { Steps } from "../lib/steps.ts";
import { runBoundedWithEvents, hookLimitMs, unansweredReason } from "./bounded.ts";
import { hookContext, warning } from "./drafts.ts";
import type { Draft } from "./fact.ts";
import type { QueuedPrompt } from "./ports.ts";
import { recordAndYield, type Run } from "./run.ts";
import type { State } from "./state.ts";

export interface TakenPrompts {
  /** Notices of hooks for people, already recorded. */
  notices: Message[];
  /** The prompts, and the context hooks add for the model. */
  drafts: Draft[];
}

const event = "UserPromptSubmit";

/** Takes the queued prompts. A prompt that a hook blocks does not join. */
export function* takeQueuedPrompts(state: State, run: Run): Steps<QueryEvent, TakenPrompts> {
  const queued = run.ports.queue.take();
  run.consumed.waiting.push(...queued.map(({ uuid }) => uuid));
  const prompts: TakenPrompts = { notices: [], drafts: [] };
  const contexts: Draft[] = [];
  for (const [index, entry] of queued.entries()) {
    if (run.cancel.cause !== null || run.fault !== null) break;
    const key = `t${state.iteration}.queued.${index}`;
    const { notices, additionalContext, isRefused } = yield* judgePrompt(entry, key, run);
    prompts.notices.push(...(yield* recordAndYield(run, notices)));
    if (isRefused) continue;
    const { prompt, uuid: sourceUuid } = entry;
    prompts.drafts.push({ type: "attachment", attachment: { kind: "queued_command", prompt, sourceUuid } });
    const mentioned = yield* readMentionedFiles(entry, key, run);
    if ("problem" in mentioned) prompts.notices.push(...(yield* recordAndYield(run, [mentioned.problem])));
    else prompts.drafts.push(...mentioned.drafts);
    contexts.push(...additionalContext.map((text) => hookContext(event, text)));
  }
  prompts.drafts.push(...contexts);
  return prompts;
}

interface JudgedPrompt {
  notices: Draft[];
  additionalContext: readonly string[];
  isRefused: boolean;
}

const notJudged: JudgedPrompt = { notices: [], additionalContext: [], isRefused: false };

function* judgePrompt(entry: QueuedPrompt, key: string, run: Run): Steps<QueryEvent, JudgedPrompt> {
  const { queue } = run.ports;
  if (queue.isJudged?.() !== true) return notJudged;
  const wait = { key, on: "hook" as const, name: event, limitMs: hookLimitMs(run, event) };
  const answer = yield* runBoundedWithEvents(run, wait, async (signal) => queue.judge?.(entry, signal));
  if (!answer.ok) {
    if (answer.why === "cancelled") return notJudged;
    const text = `${event} hooks failed (${unansweredReason(answer)}); the prompt went on without them.`;
    return { ...notJudged, notices: [warning("hook_failed", text)] };
  }
  if (answer.value === undefined) return notJudged;
  const { notices, refusal, additionalContext } = answer.value;
  if (refusal === undefined) return { notices: [...notices], additionalContext, isRefused: false };
  const blocked = warning("prompt_blocked", `A hook blocked the prompt: ${refusal}`, { uuid: entry.uuid });
  return { notices: [...notices, blocked], additionalContext: [], isRefused: true };
}

type MentionedFiles = { drafts: readonly Draft[] } | { problem: Draft };

function* readMentionedFiles(entry: QueuedPrompt, key: string, run: Run): Steps<QueryEvent, MentionedFiles> {
  const { queue } = run.ports;
  if (queue.named === undefined) return { drafts: [] };
  const wait = { key: `${key}.files`, on: "permission" as const, name: "Read", limitMs: run.limits.permissionMs };
  const answer = yield* runBoundedWithEvents(run, wait, async (signal) => queue.named?.(entry, signal));
  if (answer.ok) return { drafts: answer.value ?? [] };
  if (answer.why === "cancelled") return { drafts: [] };
  const text = `The files that a prompt mentions were not read (${unansweredReason(answer)}); the prompt was sent without them.`;
  return { problem: warning("mention_failed", text) };
}
