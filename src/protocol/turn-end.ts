/** The TurnEnd port: what happens once the model has answered without a tool call, before the loop decides whether the turn is over. */
import type { Waiting } from "./context.ts";
import type { QueryEvent } from "./event.ts";
import type { Message } from "./message.ts";

export interface TurnEnd {
  /** The conversation, the answer last; by reference. */
  messages: readonly Message[];
  /** The model that answered. */
  model: string;
  /** Null on the main thread. */
  agentId: string | null;
  stopHookActive: boolean;
  lastAssistantMessage: string;
  /** What the hooks of one event may take together, ms. */
  hookMs: number;
}

/** What a hook says to the model in place of an end. */
export interface TurnEndFeedback {
  event: string;
  reason: string;
}

/** What a judge says of the goal that is set. */
export interface GoalNews {
  /** A warning where the turn ends and the goal is not met: it is told where nobody watches, too. */
  level: "info" | "warning";
  /** The notice's. */
  name: "goal_reached" | "goal_impossible" | "goal_unmet" | "goal_idle";
  /** For people. */
  text: string;
  /** For the model, which is to go on. */
  feedback?: string;
}

export interface TurnEndAnswer {
  /** Ends the run, whatever else was said. */
  prevented: { event: string; message: string } | null;
  blocking: TurnEndFeedback[];
}

export const turnEndPass: TurnEndAnswer = { prevented: null, blocking: [] };

/**
 * Must not throw: what goes wrong is a notice and a pass. Messages among what is told are recorded by the caller before they are
 * shown. Where nothing has to be waited for, it is over at once.
 */
export interface TurnEndPort {
  steps(end: TurnEnd, signal: AbortSignal): Generator<QueryEvent | Waiting, TurnEndAnswer, unknown>;
  /** What a tool holds for the turn: released by a step of it. Throws where it cannot be. */
  register(name: string, dispose: () => unknown): void;
}

/** Work of a teammate, as the task list has it. */
export interface TeamTask {
  id: string;
  subject: string;
  description?: string;
}

/** Tells what a session that is one of a team still works on. */
export interface TeammatePort {
  name: string;
  teamName?: string;
  /** Those of this agent that are in progress. What it throws is a notice, and no task. */
  tasksInProgress(): readonly TeamTask[] | Promise<readonly TeamTask[]>;
  /** False: it has more to do, or is being ended, and TeammateIdle hooks are not asked. Absent: true. */
  mayRest?(): boolean;
}

/** A session that works for another one. */
export interface SubagentIdentity {
  agentId: string;
  /** The name of its kind: what matchers of SubagentStop are held against. */
  agentType: string;
  /** Absolute; absent: this session's own. */
  transcriptPath?: string;
}
