/**
 * All agents of one session, however deep: how many there may be, how many at once, how many responses they have together, and
 * the ends of those in the background. What one may spend is the session's ledger's business.
 */
import type { NamedAgent } from "../../protocol/agent.ts";
import type { Cancel } from "../../loop/cancel.ts";
import type { CancelCause } from "../../protocol/stop.ts";

export interface AgentLimits {
  /** Agents below agents; the deepest cannot start any. */
  depth: number;
  /** Running at once. */
  concurrent: number;
  /** Started in the life of the session. */
  count: number;
  /** Model responses of all of them together. */
  turns: number;
}

export const defaultAgentLimits: AgentLimits = { depth: 3, concurrent: 20, count: 200, turns: 5_000 };

/** Responses set aside for one agent whose definition does not say how many it needs. */
export const defaultTurns = 200;

export interface RunningAgent {
  id: string;
  type: string;
  description: string;
  isBackground: boolean;
  cancel: Cancel;
  /** Resolves once it is over and has let go of everything. */
  ended: Promise<void>;
}

/** Room for one agent, set aside before it starts. */
export interface Berth {
  /** The most responses it may have. */
  turns: number;
  /** Gives back what was not used. */
  leave(turnsUsed: number): void;
}

export type Reservation = { ok: true; berth: Berth } | { ok: false; message: string };

/** What a session's own end of it shows to others. */
export interface AgentCrew {
  readonly agents: AgentTree;
  readonly agentTypes: readonly NamedAgent[];
  /** What is to be told of those that are over. */
  readonly agentNews: readonly unknown[];
}

export class AgentTree {
  readonly limits: AgentLimits;
  /** What is to be killed where the process ends at once. */
  readonly sessions = new Set<{ killNow(): void }>();
  readonly #running = new Map<string, RunningAgent>();
  #atOnce = 0;
  #started = 0;
  #turnsLeft: number;

  constructor(limits: Partial<AgentLimits> = {}) {
    this.limits = { ...defaultAgentLimits, ...limits };
    this.#turnsLeft = this.limits.turns;
  }

  reserve(wanted: number | undefined): Reservation {
    const { concurrent, count } = this.limits;
    if (this.#atOnce >= concurrent)
      return refused(`Concurrent subagent limit reached: ${concurrent} agents are running. Wait for one to end.`);
    if (this.#started >= count)
      return refused(`Subagent limit reached: this session has started ${count} agents. Do the rest yourself.`);
    const turns = Math.min(wanted ?? defaultTurns, this.#turnsLeft);
    if (turns < 1) return refused("Subagent turn limit reached: the agents of this session have used all their turns.");
    this.#atOnce++;
    this.#started++;
    this.#turnsLeft -= turns;
    let isLeft = false;
    const leave = (used: number): void => {
      if (isLeft) return;
      isLeft = true;
      this.#atOnce--;
      this.#turnsLeft += Math.max(0, turns - used);
    };
    return { ok: true, berth: { turns, leave } };
  }

  add(agent: RunningAgent): void {
    const forget = async (): Promise<void> => {
      await agent.ended;
      this.#running.delete(agent.id);
    };
    this.#running.set(agent.id, { ...agent, ended: forget() });
  }

  get(id: string): RunningAgent | undefined {
    return this.#running.get(id);
  }

  list(): RunningAgent[] {
    return [...this.#running.values()];
  }

  inBackground(): RunningAgent[] {
    return this.list().filter(({ isBackground }) => isBackground);
  }

  async whenBackgroundEnds(): Promise<void> {
    while (this.inBackground().length > 0) await Promise.all(this.inBackground().map(({ ended }) => ended));
  }

  /** False: there is none of that id in the background. */
  async stop(id: string): Promise<boolean> {
    const agent = this.#running.get(id);
    if (agent?.isBackground !== true) return false;
    agent.cancel.cancel("user");
    await agent.ended;
    return true;
  }

  /** Ends all that run, and resolves when they are over. */
  async end(cause: CancelCause): Promise<void> {
    while (this.#running.size > 0) {
      const running = this.list();
      for (const { cancel } of running) cancel.cancel(cause);
      await Promise.all(running.map(({ ended }) => ended));
    }
  }
}

function refused(message: string): Reservation {
  return { ok: false, message };
}
