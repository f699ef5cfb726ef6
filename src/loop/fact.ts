/** What the stages report. A fact says what was seen, never what follows from it. Messages in a fact are already recorded. */
import type { AutoCompactTracking } from "../protocol/context.ts";
import type {
  AttachmentMessage,
  Message,
  NoticeMessage,
  TransitionMessage,
  UserMessage,
  AssistantMessage,
  TombstoneMessage,
} from "../protocol/message.ts";
import type { ModelFailure, ModelRequest } from "../protocol/model.ts";
import type { CancelCause, Failure } from "../protocol/stop.ts";
import type { TurnEndAnswer } from "../protocol/turn-end.ts";

export type Unminted<T> = Omit<T, "uuid" | "timestamp">;

/** A message before it has an id and a time, as a pure function can make it. */
export type Draft =
  | Unminted<UserMessage>
  | Unminted<AssistantMessage>
  | Unminted<AttachmentMessage>
  | Unminted<NoticeMessage>
  | Unminted<TransitionMessage>
  | Unminted<TombstoneMessage>;

/** Why a hook ended the run. */
export interface HookStop {
  event: string;
  message: string;
  /** The call itself was deferred, so that nothing more has to be said about it. */
  isDeferral?: true;
}

/** The conversation as the stage left it. */
interface Left {
  messages: readonly Message[];
}

/** The conversation after a response, with the model that the run continues with. */
export interface Sampled extends Left {
  model: string;
  fallbacksUsed: number;
  /** Of all responses in this pass of the sample stage. */
  outputTokens: number;
}

/** An error that is withheld while a recovery is tried. */
interface Overflow {
  /** An image or document was refused, not the length. */
  media: boolean;
  failure: Failure & Pick<ModelFailure, "tokens">;
}

export type Fact =
  | { kind: "opened" }
  | (Left & {
      kind: "prepared";
      /** The model that the user has chosen since the last request; absent: none. */
      chosenModel?: string;
      request: ModelRequest;
      estimatedTokens: number;
      tracking: AutoCompactTracking;
    })
  | {
      kind: "window_full";
      estimatedTokens: number;
      limitTokens: number;
      why?: string;
    }
  | (Left & { kind: "admission_refused" })
  | (Sampled & {
      kind: "answered";
      calls: number;
      /** The response has no visible content: the turn would end without a word. */
      empty: boolean;
      stopReason: string | null;
    })
  | (Sampled & {
      kind: "truncated";
      /** The truncated response's messages, for the tombstone. */
      targets: string[];
      /** The limit that cut the answer, and the most that the model allows. */
      maxTokens: number;
      modelMaxTokens: number;
      cap: "default" | "escalated" | "custom" | "ledger";
      failure: Failure;
    })
  | (Sampled &
      Overflow & {
        kind: "overflowed";
        /** The server's count of the prompt; of the whole window if the answer reached its end. */
        actualTokens?: number;
        /** The fact for an answer that the window cut, used if no room can be made. */
        cut?: Extract<Fact, { kind: "truncated" }>;
      })
  | (Sampled & {
      kind: "stream_cut";
      calls: number;
      /** Another model takes over because of this failure, which its notice has reported. */
      isTakenOver: boolean;
      failure: ModelFailure;
      /** Overloads in a row, including this one; 0 if the failure was not an overload, or another model takes over. */
      overloads: number;
    })
  | (Left & { kind: "failed"; failure: Failure })
  | (Left & { kind: "aborted"; where: "streaming" | "tools"; cause: CancelCause })
  | (Left & Overflow & { kind: "drained"; committed: number; tracking: AutoCompactTracking })
  | (Left & Overflow & { kind: "compacted"; tracking: AutoCompactTracking })
  | (Left & Overflow & { kind: "unrecovered" })
  | (Left & {
      kind: "batch_settled";
      hookStopped: HookStop | null;
      /** A tool said that the work is done. */
      endsTurn: boolean;
      summaryKey: string | null;
    })
  | (Left & {
      kind: "turn_end";
      blocking: TurnEndAnswer["blocking"];
      prevented: TurnEndAnswer["prevented"];
      outOfTries?: string;
      warnings: Draft[];
      empty: boolean;
    });

export type FactOf<Kind extends Fact["kind"]> = Extract<Fact, { kind: Kind }>;
