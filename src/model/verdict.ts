/** What a failure is judged by, and as what. */
import type { ModelFailure } from "../protocol/model.ts";

/** What a message may name. */
export interface FailureContext {
  /** URL of the endpoint, without credentials and query. */
  endpoint: string;
  model: string;
  /** What was asked for as the answer, tokens. */
  maxTokens?: number;
  /** The endpoint is on this machine. */
  loopback: boolean;
  /** Something of it has been answered before: its address is right. */
  hasAnswered?: boolean;
  /** Variables that the credentials sent along came from; empty where none were sent. */
  credentials: readonly string[];
  /** Never to be shown, whoever repeats them. */
  secrets: readonly string[];
  /** Ms since the epoch. */
  now(): number;
}

/** A failure as its words and its status tell it. */
export type Verdict = Pick<
  ModelFailure,
  "kind" | "recovery" | "overload" | "tokens" | "answerLimit" | "field" | "thinkingMissed" | "isOfTurn"
> & {
  /** What happened, without subject: "refused the request". */
  what: string;
  /** What to do next, a sentence. */
  advice: string;
};
