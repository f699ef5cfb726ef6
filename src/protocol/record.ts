/** The Transcript port: every record is written before anything depends on it. Also the notes a replay needs beyond the messages. */
import type { Message } from "./message.ts";
import type { ModelFailure, ThinkingSetting } from "./model.ts";
import type { CancelCause, Failure, Terminal } from "./stop.ts";
import type { Usage } from "./usage.ts";

export type AppendResult = { ok: true } | { ok: false; failure: Failure };

/** What a run of the loop was given that no message records. `limits` has only those that differ from the defaults; null means no limit. */
export interface RunBegin {
  at: "begin";
  model: string;
  agentId: string | null;
  limits: Record<string, number | null>;
  fallbackModels: readonly string[];
  thinking: ThinkingSetting;
  maxOutputTokens?: number;
}

/** Events of a run that no message records in full; a replay could not know them otherwise. */
export type RunNote =
  | RunBegin
  /** An attempt at a response failed; what follows from it is in the messages. */
  | { at: "failure"; failure: ModelFailure }
  /** The failed request is retried; `maxRetries` is the limit. */
  | { at: "retry"; maxRetries: number }
  /** The user has chosen another model, which the requests from here on go to. */
  | { at: "model"; model: string; thinking: ThinkingSetting }
  /** A fallback model has taken over, and is asked to think like this from here on. */
  | { at: "fallback"; model: string; thinking: ThinkingSetting }
  /** An answer was cut at `maxTokens`. `isLowered`: the budget covered no more. */
  | { at: "cut"; maxTokens: number; modelMaxTokens: number; isLowered: boolean }
  /** `terminal`: null if the consumer left the run. */
  | { at: "end"; terminal: Terminal | null; cause: CancelCause | null };

/**
 * Appends one record. Returns only after `write` has returned, so the record survives the death of the process. Idempotent by uuid. Must
 * not throw: a full disk is returned as a value, and what is on disk stays valid. `soFar`: for a block of an answer, the usage known when
 * the answer began, for readers of the record; the answer's end has the total.
 */
export interface TranscriptPort {
  append(message: Message, soFar?: Usage): AppendResult | Promise<AppendResult>;
  /** Keeps a note beside the messages. If a note cannot be written, a replay may fail; the run does not. */
  note?(note: RunNote): void;
}
