/** The Budget port: admission before a call, settlement after it. USD. */
import type { Usage } from "./usage.ts";

/** What bounds media that nobody here has seen. */
export interface MediaFacts {
  /** Of the model that is asked, tokens. Default: the largest there can be. */
  window?: number;
  /** The API has counted them. Default false. */
  isCounted?: boolean;
}

export interface AdmissionRequest {
  model: string;
  /** Bytes of the serialised request: an upper bound of its tokens. */
  requestBytes: number;
  /** Tokens expected from the last real usage plus an estimate; never used to reserve less than the bytes allow. */
  estimatedInputTokens: number;
  /** An exact count, asked for only near the limit. */
  countTokens?: () => Promise<number | undefined>;
  maxTokens: number;
  speed?: "fast";
  /**
   * The most tokens that media can add beyond their bytes in the request; asked for only under a budget. `isCounted`: beyond what
   * `countTokens` told, which has looked at what is behind links.
   */
  mediaTokens(isCounted?: boolean): number;
  /** Bytes of the request that say nothing of its tokens, since `mediaTokens` bounds what is in them. Asked for as that is. Absent: none. */
  mediaBytes?(): number;
  /** Nobody waits for it: admitted only where it takes a small share of what is left, so that no other call is refused for it. */
  spare?: true;
  /** Rather waits for calls that are under way than be refused, or lowered, for what is reserved for them. */
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
      /** To a patient one: settles when less may be reserved, and asking again is worth it. */
      freed?: Promise<void>;
    };

/**
 * The session's one ledger. A reservation stays charged until it is settled; `settle` without usage leaves it charged,
 * because the bill for a call whose end was never seen is unknown.
 */
export interface BudgetPort {
  /** At once where nothing has to be asked. */
  admit(request: AdmissionRequest): Admission | Promise<Admission>;
  /**
   * Its answer has begun: that much is on the server's bill, whatever becomes of this process. `messageId`: of an answer that the
   * session's transcript will have; without one nothing but the ledger knows of the call.
   */
  begun?(ticket: string, usage: Usage, messageId?: string): void;
  /** Returns the cost booked. */
  settle(ticket: string, outcome: Settlement): number;
}

/** What is known of a call's bill once it is over. */
export type Settlement =
  | {
      usage: Usage;
      /** False: it is the part seen before a cut. */
      final: boolean;
      /** The answer is whole, and the server never said how long it was. */
      outputUntold?: true;
    }
  | { notBilled: true }
  | { unknown: true };
