/** The Transcript port: write-ahead of everything that depends on it, and what a replay needs besides. */
import type { Message } from "./message.ts";
import type { ModelFailure, ThinkingSetting } from "./model.ts";
import type { CancelCause, Failure, Terminal } from "./stop.ts";
import type { Usage } from "./usage.ts";

export type AppendResult = { ok: true } | { ok: false; failure: Failure };

/** What a run of the loop was given and no message says. Limits that differ from the defaults; null stands for no limit. */
export interface RunBegin {
  at: "begin";
  model: string;
  agentId: string | null;
  limits: Record<string, number | null>;
  fallbackModels: readonly string[];
  thinking: ThinkingSetting;
  maxOutputTokens?: number;
}

/** What happens in a run and leaves no message, or none that says all: a replay could not know it otherwise. */
export type RunNote =
  | RunBegin
  /** An attempt at a response failed; what follows from it is in the messages. */
  | { at: "failure"; failure: ModelFailure }
  /** It is made again, and may be so many times. */
  | { at: "retry"; maxRetries: number }
  /** An answer was cut at so many tokens. `isLowered`: the budget covered no more. */
  | { at: "cut"; maxTokens: number; modelMaxTokens: number; isLowered: boolean }
  /** `terminal`: null where the run was left. */
  | { at: "end"; terminal: Terminal | null; cause: CancelCause | null };

/**
 * Appends one record. Has returned only once `write` has: safe against the process's death. Idempotent by uuid.
 * Must not throw: a full disk is a value, and what is on disk stays valid. `soFar`: of a block of an answer, the usage that the answer
 * was begun with, for whoever reads the record; the answer's end has the whole.
 */
export interface TranscriptPort {
  append(message: Message, soFar?: Usage): AppendResult | Promise<AppendResult>;
  /** Keeps a note beside the messages. One that cannot be written costs a replay, not the run. */
  note?(note: RunNote): void;
}
