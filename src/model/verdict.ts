/** The input and the result of judging a failure. */
import type { ModelFailure } from "../protocol/model.ts";

export interface HttpAnswer {
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** What a failure's message may mention, and what the judgement depends on. */
export interface FailureContext {
  /** URL of the endpoint, without credentials and query. */
  endpoint: string;
  model: string;
  /** The requested answer length, tokens. */
  maxTokens?: number;
  /** The endpoint is on this machine. */
  loopback: boolean;
  /** The endpoint has answered before, so its address is right. */
  hasAnswered?: boolean;
  /** Variables that the sent credentials came from; empty if none were sent. */
  credentials: readonly string[];
  /** Never shown, even where the server repeats them. */
  secrets: readonly string[];
  /** Ms since the epoch. */
  now(): number;
}

/** The judgement on a failure, from its words and its status. */
export type Verdict = Pick<
  ModelFailure,
  | "kind"
  | "recovery"
  | "overload"
  | "tokens"
  | "answerLimit"
  | "field"
  | "thinkingMissed"
  | "thinkingUnknown"
  | "isOfTurn"
> & {
  /** What happened, without the subject: "refused the request". */
  what: string;
  /** What to do next, a sentence. */
  advice: string;
};
