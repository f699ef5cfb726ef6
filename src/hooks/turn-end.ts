/**
 * The end of a turn, step by step in this order: runs after the model has answered without a tool call, and never after an API error. This
 * file decides what happens and when; ports do the work of each step. A step that fails is only a warning to people: the turn ends as if it
 * had passed.
 */
import { withoutUndefined } from "../lib/without-undefined.ts";
import { errorText } from "../lib/error-text.ts";
import { rethrowIfLeft, waitFor, type Steps } from "../lib/steps.ts";
import type { QueryEvent } from "../protocol/event.ts";
import type { HookAnswer, HookBackgroundTask, HookEvent, HookInput, HookPort } from "../protocol/hook.ts";
import type { NoticeMessage } from "../protocol/message.ts";
import { newNotice } from "../protocol/new-record.ts";
import {
  turnEndPass,
  type GoalNews,
  type SubagentIdentity,
  type TeammatePort,
  type TeamTask,
  type TurnEnd,
  type TurnEndAnswer,
  type TurnEndPort,
} from "../protocol/turn-end.ts";

import { turnEndSummary } from "./turn-end-summary.ts";

/** What the steps use. Each part is present only if it has something to do. */
export interface TurnEndParts {
  hooks: HookPort;
  ids: { uuid(): string };
  clock: { timestamp(): string };
  /** Keeps what the last request was made of, for forks and side questions. */
  keepSnapshot?(end: TurnEnd): void;
  /** Judges the state of a background job, from its whole user turn. Has its own time limit. */
  judgeJob?(end: TurnEnd, signal: AbortSignal): Promise<void>;
  /** Starts work that nobody waits for. Absent in a bare session. */
  startForks?(end: TurnEnd): void;
  /** What tools hold for the turn. Absent: they may hold nothing. */
  disposers?: {
    register(name: string, dispose: () => unknown): void;
    /** Returns null if nothing is held. Has its own time limit, and fails silently. */
    release(): Promise<void> | null;
  };
  /** Returns the background tasks. Called only if there are hooks to receive them. */
  backgroundTasks?(): readonly HookBackgroundTask[];
  /** Present if this session works for another one. */
  subagent?: SubagentIdentity;
  /** The user's goal, on the main thread. `judge` returns null if no goal is set, and throws if it cannot tell. */
  goal?: {
    readonly active: unknown;
    judge(end: TurnEnd, signal: AbortSignal): Promise<GoalNews | null>;
  };
  /** Present if this session is one of a team. */
  teammate?: TeammatePort;
  /** Called as each step begins. */
  trace?(step: string): void;
}

/** A safety net for steps that have limits of their own, ms. */
const maxStepMs = 90_000;
const maxTasks = 100;

export function createTurnEnd(parts: TurnEndParts): TurnEndPort {
  return {
    steps: (end, signal) => handleTurnEnd(parts, end, signal),
    register(name, dispose) {
      if (parts.disposers === undefined) throw new Error("Nothing can be held for a turn here.");
      parts.disposers.register(name, dispose);
    },
  };
}

function* handleTurnEnd(parts: TurnEndParts, end: TurnEnd, signal: AbortSignal): Steps<QueryEvent, TurnEndAnswer> {
  if (end.agentId === null) {
    // A subagent's request has a different prefix, so it must not replace the conversation's snapshot.
    yield* runStep(parts, "snapshot", () => parts.keepSnapshot?.(end));
    yield* runStep(parts, "job", () => parts.judgeJob?.(end, signal));
    yield* runStep(parts, "forks", () => parts.startForks?.(end));
    yield* runStep(parts, "release", () => parts.disposers?.release());
  }
  const stopped = yield* stopHooks(parts, end, signal);
  if (!isPass(stopped)) return stopped;
  if (end.agentId === null && parts.goal?.active !== undefined) return yield* judgeGoal(parts, parts.goal, end, signal);
  if (parts.teammate === undefined) return stopped;
  return yield* teammateHooks(parts, parts.teammate, end, signal);
}

function isPass({ prevented, blocking }: TurnEndAnswer): boolean {
  return prevented === null && blocking.length === 0;
}

function* runStep(parts: TurnEndParts, step: string, work: () => unknown): Steps<QueryEvent, void> {
  try {
    parts.trace?.(step);
    const working = work();
    if (working instanceof Promise) yield* waitFor(working, { name: `turn end (${step})`, limitMs: maxStepMs });
  } catch (error) {
    rethrowIfLeft(error);
    yield warning(
      parts,
      "turn_end_failed",
      `A step at the end of the turn failed (${step}: ${errorText(error)}); it counts as done.`,
    );
  }
}

function stopHooks(parts: TurnEndParts, end: TurnEnd, signal: AbortSignal): Steps<QueryEvent, TurnEndAnswer> {
  const event = end.agentId === null ? "Stop" : "SubagentStop";
  const background_tasks = parts.hooks.has(event) ? parts.backgroundTasks?.() : undefined;
  const common = {
    stop_hook_active: end.stopHookActive,
    last_assistant_message: end.lastAssistantMessage,
    ...(background_tasks === undefined ? {} : { background_tasks }),
  };
  if (end.agentId === null) return askHooks(parts, { hook_event_name: "Stop", ...common }, end, signal);
  const { agentId, agentType, transcriptPath } = { agentId: end.agentId, agentType: undefined, ...parts.subagent };
  const identity = {
    agent_id: agentId,
    ...withoutUndefined({ agent_type: agentType, agent_transcript_path: transcriptPath }),
  };
  return askHooks(parts, { hook_event_name: "SubagentStop", ...common, ...identity }, end, signal);
}

/** Judges the goal, like a Stop hook in the user's words: what is missing is sent to the model, which continues. */
function* judgeGoal(
  parts: TurnEndParts,
  goal: NonNullable<TurnEndParts["goal"]>,
  end: TurnEnd,
  signal: AbortSignal,
): Steps<QueryEvent, TurnEndAnswer> {
  try {
    parts.trace?.("goal");
    const news = yield* waitFor(goal.judge(end, signal), { name: "goal", limitMs: end.hookMs });
    if (news === null) return turnEndPass;
    yield newNotice(parts, news.level, news.name, news.text);
    const { feedback } = news;
    return feedback === undefined ? turnEndPass : { prevented: null, blocking: [{ event: "Stop", reason: feedback }] };
  } catch (error) {
    rethrowIfLeft(error);
    const why = errorText(error).replace(/\.$/u, "");
    yield warning(
      parts,
      "goal_unjudged",
      `Whether the goal is met could not be judged (${why}). It stays set: send a message to go on, or /goal clear.`,
    );
    return turnEndPass;
  }
}

/** Runs hooks for all tasks before drawing a conclusion, unless a hook ends the run. */
function* teammateHooks(
  parts: TurnEndParts,
  teammate: TeammatePort,
  end: TurnEnd,
  signal: AbortSignal,
): Steps<QueryEvent, TurnEndAnswer> {
  const { name, teamName } = teammate;
  const teammateFields = { teammate_name: name, ...(teamName === undefined ? {} : { team_name: teamName }) };
  const blocking: TurnEndAnswer["blocking"] = [];
  for (const { id, subject, description } of yield* tasksOf(parts, teammate)) {
    const about = {
      task_id: id,
      task_subject: subject,
      ...(description === undefined ? {} : { task_description: description }),
    };
    const answer = yield* askHooks(
      parts,
      { hook_event_name: "TaskCompleted", ...about, ...teammateFields },
      end,
      signal,
    );
    if (answer.prevented !== null) return answer;
    blocking.push(...answer.blocking);
  }
  if (blocking.length > 0) return { prevented: null, blocking };
  if (teammate.mayRest?.() === false) return turnEndPass;
  return yield* askHooks(parts, { hook_event_name: "TeammateIdle", ...teammateFields }, end, signal);
}

function* tasksOf(parts: TurnEndParts, teammate: TeammatePort): Steps<QueryEvent, readonly TeamTask[]> {
  let tasks: readonly TeamTask[] = [];
  if (!parts.hooks.has("TaskCompleted")) return tasks;
  yield* runStep(parts, "tasks", async () => {
    tasks = (await teammate.tasksInProgress()).slice(0, maxTasks);
  });
  return tasks;
}

function* askHooks(
  parts: TurnEndParts,
  input: HookInput,
  end: TurnEnd,
  signal: AbortSignal,
): Steps<QueryEvent, TurnEndAnswer> {
  const event = input.hook_event_name;
  try {
    if (!parts.hooks.has(event)) return turnEndPass;
    parts.trace?.(event);
    const answer = yield* waitFor(parts.hooks.run(input, signal), { name: event, limitMs: end.hookMs });
    for (const notice of [...answer.notices, ...turnEndSummary(event, answer.runs, parts)]) yield notice;
    return toTurnEndAnswer(event, answer);
  } catch (error) {
    rethrowIfLeft(error);
    yield warning(
      parts,
      "hook_failed",
      `${event} hooks failed (${errorText(error)}); the turn ends as if they had passed.`,
    );
    return turnEndPass;
  }
}

function toTurnEndAnswer(
  event: HookEvent,
  { preventContinuation, blocking, additionalContext }: HookAnswer,
): TurnEndAnswer {
  return {
    prevented: preventContinuation === undefined ? null : { event, message: preventContinuation },
    blocking: [...blocking, ...additionalContext].map((reason) => ({ event, reason })),
  };
}

function warning(parts: TurnEndParts, name: string, text: string): NoticeMessage {
  return newNotice(parts, "warning", name, text);
}
