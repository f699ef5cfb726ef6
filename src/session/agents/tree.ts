/**
 * All agents of one session, at any depth: limits how many there are, how many run at once, and how many responses they have
 * together, and tracks the ends of background agents. Spending is limited by the session's ledger.
 */
import { formatCount } from "../../lib/format-figures.ts";
import type { Cancel } from "../../loop/cancel.ts";
import type { SDKPermissionDenial } from "../../protocol/sdk.ts";
import type { CancelCause } from "../../protocol/stop.ts";
import type { AgentLimits } from "../options/agent-limits.ts";

const defaultAgentLimits: AgentLimits = { depth: 3, concurrent: 20, count: 200, turns: 5_000 };

/** Responses set aside for an agent whose definition does not say how many it needs. */
export const defaultTurns = 200;

/** What a teammate has in addition: it stays after its turn is over. */
export interface TeammateDesk {
  name: string;
  isIdle(): boolean;
  /** Resolves once the teammate rests, or has ended. */
  whenIdle(): Promise<void>;
  /** Ends its turn, if one runs. */
  interrupt(cause: CancelCause): void;
}

export interface RunningAgent {
  id: string;
  teammate?: TeammateDesk;
  type: string;
  description: string;
  isBackground: boolean;
  cancel: Cancel;
  /** Makes its end be reported as the model's doing, not the user's. */
  markEndedByModel?(): void;
  /** Resolves once the agent is over and has released everything. */
  ended: Promise<void>;
}

/** Room for one agent, set aside before it starts. */
export interface Reservation {
  /** The most responses the agent may have. */
  turns: number;
  /** Ends the reservation, and gives back the responses that were not used. */
  release(turnsUsed: number): void;
}

/** `isBusy`: there will be room once another agent has ended. */
export type ReservationAnswer = { ok: true; reservation: Reservation } | { ok: false; message: string; isBusy?: true };

export class AgentTree {
  readonly limits: AgentLimits;
  /** The sessions to kill if the process ends at once. */
  readonly sessions = new Set<{ killNow(sparesHooks: boolean): void }>();
  /** Refused calls of agents, for the session's next result. */
  readonly denials: SDKPermissionDenial[] = [];
  readonly #running = new Map<string, RunningAgent>();
  /** Ids of agents that have a reservation. */
  readonly #reservedIds = new Set<string>();
  #runningCount = 0;
  #started = 0;
  #turnsLeft: number;
  readonly #releaseListeners = new Set<() => void>();

  constructor(limits: Partial<AgentLimits> = {}) {
    this.limits = { ...defaultAgentLimits, ...limits };
    this.#turnsLeft = this.limits.turns;
  }

  /** Why the agent with this id cannot resume; null if it can. */
  resumeProblem(id: string): string | null {
    return this.#running.has(id) || this.#reservedIds.has(id) ? `The agent ${id} is still running.` : null;
  }

  /** With `isNew` false, the agent is not counted as started: it has been counted before. `id`: of the agent that is to start or resume. */
  reserve(
    wantedTurns: number | undefined,
    { isNew = true, id = "" }: { isNew?: boolean; id?: string } = {},
  ): ReservationAnswer {
    const { concurrent, count } = this.limits;
    const problem = this.resumeProblem(id);
    if (problem !== null) return refusal(problem);
    if (this.#runningCount >= concurrent) {
      const message = `Concurrent subagent limit reached: ${formatCount(concurrent, "agent is", "agents are")} running. Wait for one to end.`;
      return { ok: false, message, isBusy: true };
    }
    if (isNew && this.#started >= count)
      return refusal(
        `Subagent limit reached: this session has started ${formatCount(count, "agent")}. Do the rest yourself.`,
      );
    const turns = Math.min(wantedTurns ?? defaultTurns, this.#turnsLeft);
    // Running agents give back the responses they do not use.
    if (turns < 1) return { ...refusal(outOfTurns), ...(this.#runningCount > 0 ? { isBusy: true as const } : {}) };
    this.#runningCount++;
    if (isNew) this.#started++;
    if (id !== "") this.#reservedIds.add(id);
    this.#turnsLeft -= turns;
    let isReleased = false;
    const release = (used: number): void => {
      if (isReleased) return;
      isReleased = true;
      this.#runningCount--;
      this.#reservedIds.delete(id);
      this.#turnsLeft += Math.max(0, turns - used);
      for (const listen of this.#releaseListeners) listen();
    };
    return { ok: true, reservation: { turns, release } };
  }

  /** Why no agent can answer any more; null if they can. */
  get spentReason(): string | null {
    return this.#turnsLeft < 1 && this.#runningCount === 0 ? outOfTurns : null;
  }

  /** Calls the listener each time a reservation has ended. Returns a function that stops this. */
  onRelease(listener: () => void): () => void {
    this.#releaseListeners.add(listener);
    return () => this.#releaseListeners.delete(listener);
  }

  add(agent: RunningAgent): void {
    const forget = async (): Promise<void> => {
      await agent.ended;
      this.#running.delete(agent.id);
    };
    this.#running.set(agent.id, { ...agent, ended: forget() });
  }

  list(): RunningAgent[] {
    return [...this.#running.values()];
  }

  workingInBackground(): RunningAgent[] {
    return this.list().filter(({ isBackground, teammate }) => isBackground && teammate?.isIdle() !== true);
  }

  async whenBackgroundEnds(): Promise<void> {
    while (this.workingInBackground().length > 0) {
      const working = this.workingInBackground();
      await Promise.all(working.map(({ ended, teammate }) => teammate?.whenIdle() ?? ended));
    }
  }

  /** Ends the turns of teammates, who stay. */
  interruptTeammates(cause: CancelCause): void {
    for (const { teammate } of this.list()) teammate?.interrupt(cause);
  }

  /** Stops an agent, by id or by a teammate's name; for an awaited agent this ends the call. False if there is none. */
  async stop(id: string, by: "user" | "model"): Promise<boolean> {
    const agent = this.#running.get(id) ?? this.list().find(({ teammate }) => teammate?.name === id);
    if (agent === undefined) return false;
    if (by === "model") agent.markEndedByModel?.();
    agent.cancel.cancel("user");
    await agent.ended;
    return true;
  }

  /** Ends all running agents, and resolves when they are over. */
  async end(): Promise<void> {
    while (this.#running.size > 0) {
      const running = this.list();
      for (const { cancel } of running) cancel.cancel("shutdown");
      await Promise.all(running.map(({ ended }) => ended));
    }
  }
}

const outOfTurns = "Subagent turn limit reached: the agents of this session have used all their turns.";

function refusal(message: string): Extract<ReservationAnswer, { ok: false }> {
  return { ok: false, message };
}
