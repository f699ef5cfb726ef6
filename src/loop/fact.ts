/** What stages report. A fact says what was seen, never what follows from it. Messages in a fact are already recorded. */
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

type Unminted<T> = Omit<T, "uuid" | "timestamp">;

/** A message before it has an id and a time: what a pure function can make. */
export type Draft =
  | Unminted<UserMessage>
  | Unminted<AssistantMessage>
  | Unminted<AttachmentMessage>
  | Unminted<NoticeMessage>
  | Unminted<TransitionMessage>
  | Unminted<TombstoneMessage>;

/** What a hook ended the run with. */
export interface HookStop {
  event: string;
  message: string;
  /** The call itself was put off, so that nothing is left to be said of it. */
  isDeferral?: true;
}

/** The conversation as the stage left it. */
interface Left {
  messages: readonly Message[];
}

/** The same behind a response, with the model the run would go on with. */
export interface Sampled extends Left {
  model: string;
  fallbacksUsed: number;
  /** Of all responses of the pass. */
  outputTokens: number;
}

/** The error that is withheld while its recovery is at work. */
interface Overflow {
  /** An image or document was refused, not the length. */
  media: boolean;
  failure: Failure & Pick<ModelFailure, "tokens">;
}

export type Fact =
  | { kind: "opened" }
  | (Left & {
      kind: "prepared";
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
      /** No block at all: an end of turn that says nothing. */
      empty: boolean;
      stopReason: string | null;
    })
  | (Sampled & {
      kind: "truncated";
      /** The truncated response's messages, for the tombstone. */
      targets: string[];
      /** What it was cut at, and what the model allows at most. */
      maxTokens: number;
      modelMaxTokens: number;
      cap: "default" | "escalated" | "custom" | "ledger";
      failure: Failure;
    })
  | (Sampled &
      Overflow & {
        kind: "overflowed";
        /** What the server counted of the prompt, or of the whole window where the answer ran into its end. */
        actualTokens?: number;
        /** The answer was cut where the window left it no more room; what it counts as where no room can be made. */
        cut?: Extract<Fact, { kind: "truncated" }>;
      })
  | (Sampled & {
      kind: "stream_cut";
      calls: number;
      failure: ModelFailure;
      /** In a row, this one included; 0 where it was none, or another model takes over. */
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
      warnings: Draft[];
      empty: boolean;
    });

export type FactOf<Kind extends Fact["kind"]> = Extract<Fact, { kind: Kind }>;
