/** The TurnEnd port: what happens after the model has answered without a tool call, before the loop decides whether the turn is over. */
import type { Waiting } from "./context.ts";
import type { QueryEvent } from "./event.ts";
import type { Message } from "./message.ts";

export interface TurnEnd {
  /** The conversation, with the answer last; by reference. */
  messages: readonly Message[];
  /** The model that answered. */
  model: string;
  /** Null on the main thread. */
  agentId: string | null;
  stopHookActive: boolean;
  lastAssistantMessage: string;
  /** The time limit for all hooks of one event together, ms. */
  hookMs: number;
}

/** A hook's reason why the turn must not end yet, for the model. */
export interface TurnEndFeedback {
  event: string;
  reason: string;
}

/** A judge's verdict on the goal that is set. */
export interface GoalNews {
  /** A warning if the turn ends without the goal being met: such a notice is shown even if nobody watches the session. */
  level: "info" | "warning";
  /** The name of the notice. */
  name: "goal_reached" | "goal_impossible" | "goal_unmet" | "goal_idle";
  /** For people. */
  text: string;
  /** Feedback for the model, if it should continue. */
  feedback?: string;
}

export interface TurnEndAnswer {
  /** Ends the run, whatever the other hooks said. */
  prevented: { event: string; message: string } | null;
  blocking: TurnEndFeedback[];
  /** Why the model gets no further try, whatever hooks and the token budget want; for people. Absent: it may get one. */
  outOfTries?: string;
}

export const turnEndPass: TurnEndAnswer = { prevented: null, blocking: [] };

/**
 * Must not throw: a failure yields a notice and counts as a pass. The caller records yielded messages before it shows them. Finishes
 * synchronously if nothing has to be waited for.
 */
export interface TurnEndPort {
  steps(end: TurnEnd, signal: AbortSignal): Generator<QueryEvent | Waiting, TurnEndAnswer, unknown>;
  /** Registers what a tool holds for the turn; a step of the turn's end releases it. Throws if it cannot be registered. */
  register(name: string, dispose: () => unknown): void;
}

/** A teammate's task, as in the task list. */
export interface TeamTask {
  id: string;
  subject: string;
  description?: string;
}

/** Tells what a session that is a teammate still works on. */
export interface TeammatePort {
  name: string;
  teamName?: string;
  /** Returns this agent's tasks in progress. If it throws, the result is a notice and no tasks. */
  tasksInProgress(): readonly TeamTask[] | Promise<readonly TeamTask[]>;
  /** False: it has more to do, or is being shut down, and TeammateIdle hooks do not run. Absent: true. */
  mayRest?(): boolean;
}

/** A session that works for another session. */
export interface SubagentIdentity {
  agentId: string;
  /** The name of the agent's type: what SubagentStop matchers are compared with. */
  agentType: string;
  /** Absolute; absent: this session's own transcript. */
  transcriptPath?: string;
}
