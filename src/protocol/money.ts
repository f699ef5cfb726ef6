/** The Budget port: admission before a model call, settlement after it. Amounts are in USD. */
import type { Usage } from "./usage.ts";

/** Facts that bound the tokens of media whose content is not at hand. */
export interface MediaFacts {
  /** The window of the requested model, tokens. Default: the largest there can be. */
  window?: number;
  /** Whether the API has counted the media. Default false. */
  isCounted?: boolean;
}

export interface AdmissionRequest {
  model: string;
  /** Bytes of the serialised request: an upper bound of its tokens. */
  requestBytes: number;
  /** Tokens expected from the last real usage plus an estimate. Never used to reserve less than the bytes allow. */
  estimatedInputTokens: number;
  /** Fetches an exact count. Called only near the limit. */
  countTokens?: () => Promise<number | undefined>;
  maxTokens: number;
  speed?: "fast";
  /**
   * The most tokens that media can add beyond their bytes in the request. Called only under a budget. `isCounted`: beyond what
   * `countTokens` returned, which includes the content behind links.
   */
  mediaTokens(isCounted?: boolean): number;
  /** Bytes of the request that do not bound its tokens, because `mediaTokens` covers them. Called when `mediaTokens` is. Absent: none. */
  mediaBytes?(): number;
  /** Nobody waits for this call: it is admitted only for a small share of what is left, so that no other call is refused because of it. */
  spare?: true;
  /** Rather than be refused or lowered because of reservations, the call waits for those in progress to settle. */
  patient?: boolean;
}

export type Admission =
  | {
      admitted: true;
      ticket: string;
      maxTokens: number;
      /** `maxTokens` was lowered to what the budget covers. */ lowered: boolean;
    }
  | {
      admitted: false;
      message: string;
      /** For a patient call: settles when less may be reserved, and it is worth asking again. */
      freed?: Promise<void>;
    };

/**
 * The session's one ledger. A reservation stays charged until it is settled. `settle` without usage leaves it charged, because the bill for
 * a call whose end was never seen is unknown.
 */
export interface BudgetPort {
  /** Returns synchronously if nothing has to be waited for. */
  admit(request: AdmissionRequest): Admission | Promise<Admission>;
  /**
   * Records that the answer has begun: that much is on the server's bill, whatever happens to this process. `messageId`: the id of an
   * answer that the session's transcript will contain; without it, only the ledger knows of the call.
   */
  begun?(ticket: string, usage: Usage, messageId?: string): void;
  /** Returns the cost that was booked. */
  settle(ticket: string, outcome: Settlement): number;
}

/** What is known of a call's bill once the call is over. */
export type Settlement =
  | {
      usage: Usage;
      /** False: the usage is the part seen before the answer was cut. */
      final: boolean;
      /** The answer is complete, but the server never said how long it was. */
      outputUntold?: true;
    }
  | { notBilled: true }
  | { unknown: true };
