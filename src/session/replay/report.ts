/** What replaying says, and what it is asked with. */
import type { EngineOptions } from "../options/options.ts";
import type { ReplayDifference } from "./replay-run.ts";

export type { ReplayDifference };

/** One user turn of a recorded session. */
export interface ReplayedTurn {
  /** From 1, in the order of the transcript. */
  turn: number;
  /** What was decided, in order: the reasons of Continues, the Terminal's last. Up to the first difference. */
  decisions: string[];
  /** `skipped`: it could not be replayed, or not so that a difference means something; `remark` says why. */
  outcome: "same" | "differs" | "skipped";
  difference?: ReplayDifference;
  /** For people: why it could not be played, or how far, or what today's version tells them beside. */
  remark?: string;
}

export interface ReplayedSession {
  sessionId: string;
  /** Of the transcript. Absolute. */
  path: string;
  agentId?: string;
  turns: ReplayedTurn[];
  /** Its agents, each with a transcript of its own. */
  agents: ReplayedSession[];
  /** Why nothing of it could be replayed. */
  problem?: string;
}

/** Counts are of user turns, those of agents included. */
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
