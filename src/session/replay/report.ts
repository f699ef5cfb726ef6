/** The options and the report of a replay. */
import type { EngineOptions } from "../options/options.ts";
import type { ReplayDifference } from "./replay-run.ts";

export type { ReplayDifference };

/** One user turn of a recorded session. */
export interface ReplayedTurn {
  /** Counted from 1, in the order of the transcript. */
  turn: number;
  /** The decisions in order, up to the first difference: the reasons of Continues, and last that of the Terminal. */
  decisions: string[];
  /** `skipped`: it could not be replayed, or a difference would mean nothing; `remark` says why. */
  outcome: "same" | "differs" | "skipped";
  difference?: ReplayDifference;
  /** For people: why it could not be replayed, how far it was, or which notices today's version adds. */
  remark?: string;
}

export interface ReplayedSession {
  sessionId: string;
  /** Absolute path of the transcript. */
  path: string;
  agentId?: string;
  turns: ReplayedTurn[];
  /** Its agents, each with its own transcript. */
  agents: ReplayedSession[];
  /** Why nothing in it could be replayed. */
  problem?: string;
}

/** Counts user turns, including those of agents. */
export interface ReplayReport {
  same: number;
  differs: number;
  skipped: number;
  sessions: ReplayedSession[];
}

export interface ReplayOptions extends Pick<EngineOptions, "cwd" | "env" | "home"> {
  onFile?: (file: Pick<ReplayedSession, "path" | "sessionId" | "agentId">) => void;
  onTurn?: (turn: ReplayedTurn) => void;
}
