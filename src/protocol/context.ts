/** The Context port: what the loop asks of the overflow defences. */
import type { MediaFacts } from "./money.ts";
import type { CompactingEvent, WaitingEvent } from "./event.ts";
import type { AttachmentMessage, ContentBlock, Message, NoticeMessage, ToolResultContent } from "./message.ts";
import type { ApiMessage, ModelInfo } from "./model.ts";

export interface AutoCompactTracking {
  /** `turnCount` of the last compaction in this user turn; undefined before the first. */
  lastCompactedTurn?: number;
  consecutiveFailures: number;
  /** Compactions win nothing any more: none is made for the rest of the user turn. */
  isThrashing?: true;
  /** Tokens of the work on this prompt that are no longer in the conversation. */
  taskTokensLost?: number;
}

export interface ContextInput {
  /** The conversation since the last compact boundary. */
  messages: readonly Message[];
  model: ModelInfo;
  /** `max_tokens` the next request would ask for. */
  maxTokens: number;
  /** Tokens of system prompt and tools, for the share that messages do not explain. */
  fixedTokens: number;
  tracking: AutoCompactTracking;
  turnCount: number;
  key: string;
}

export interface LayerApplied {
  layer: string;
  savedTokens: number;
}

export type FitResult =
  | {
      kind: "ready";
      messages: readonly Message[];
      /** Records that made `messages` what they are (boundary, summary, attachments, strips): to be appended in order. */
      records: Message[];
      /** Tokens the request is expected to have. */
      estimatedTokens: number;
      /** `max_tokens` that still fits the window. */
      maxTokens: number;
      tracking: AutoCompactTracking;
      applied: LayerApplied[];
    }
  | {
      kind: "full";
      estimatedTokens: number;
      limitTokens: number;
      tracking: AutoCompactTracking;
      /** Why nothing shrinks it, and what to do: a sentence for people. Absent: compaction is off. */
      why?: string;
    };

export type ShrinkResult =
  | {
      kind: "shrunk";
      messages: readonly Message[];
      records: Message[];
      beforeTokens: number;
      afterTokens: number;
      committed: number;
      /** As in `AutoCompactTracking`: by this alone. */
      taskTokensLost?: number;
    }
  /** Nothing was there to do, or what was done did not shrink the request by the stated amount. */
  | { kind: "no_progress"; why: string };

export type ContextEvent = CompactingEvent | WaitingEvent | NoticeMessage | AttachmentMessage;

/** Among what is told: nothing is told until this has settled, and what it settles with is handed back. */
export interface Waiting {
  readonly promise: PromiseLike<unknown>;
  /** Under which name and for how long this is waited for; absent: as what it is a part of. */
  readonly about?: WaitName | undefined;
}

export interface WaitName {
  name: string;
  limitMs: number;
}

/** The layers behind one door. Must not throw; an abort ends them at once with what they had. */
export interface ContextPort {
  /** Layers 0 to 4 and 7, in order. */
  fit(input: ContextInput, signal: AbortSignal): AsyncGenerator<ContextEvent, FitResult>;
  /** The same for a caller that waits itself: where nothing has to be waited for, it is over at once. */
  fitSteps?(input: ContextInput, signal: AbortSignal): Generator<ContextEvent | Waiting, FitResult, unknown>;
  /** Layer 5. */
  drain(input: ContextInput, signal: AbortSignal): AsyncGenerator<ContextEvent, ShrinkResult>;
  /** Layer 6. `media`: the overflow was an image or document the API refused. `refusal`: what the server said. */
  compactReactively(
    input: ContextInput & {
      media: boolean;
      actualTokens?: number;
      refusal?: { status?: number; detail?: string };
    },
    signal: AbortSignal,
  ): AsyncGenerator<ContextEvent, ShrinkResult>;
  /** Layer 0 at its source: bounds one result, given what its message already holds, and makes its images and documents fit. */
  fitToolResult(
    content: ToolResultContent,
    limits: { toolName: string; toolUseId: string; maxChars: number; usedChars: number; signal?: AbortSignal },
  ): Promise<ToolResultContent>;
  /**
   * Characters that one result, and those of one message together, may have whatever they say; of more than that
   * `fitToolResult` is asked. Undefined: only a tool's own limit counts.
   */
  resultChars?(): { one: number; all: number } | undefined;
  /** Layer 0 for what does not come from a tool: images and documents that the API takes, or text in their place. */
  fitMedia?(content: ContentBlock[], signal: AbortSignal): Promise<ContentBlock[]>;
  /** The most tokens that media in these messages can add beyond what the request's bytes bound. Absent: none can. */
  mediaTokens?(messages: readonly Message[], about?: MediaFacts): number;
  /** Characters of base64 in these messages that what `mediaTokens` answers bounds as well, and closer, on that model. Absent: none do. */
  mediaBytes?(messages: readonly ApiMessage[], model: ModelInfo): number;
  /** What of the output tokens wanted fits beside the request in the window of that model. Absent: all of it. */
  fittingMaxTokens?(model: ModelInfo, estimatedTokens: number, wanted: number): number;
  /** Believes a server that said how many tokens it takes at most. `isRate`: an account's limit, which may be another one later. */
  setWindow?(modelId: string, tokens: number, isRate?: boolean): void;
  /** A server refused a request of so many tokens, estimated, as too long, and said no figure. */
  guessWindow?(modelId: string, refused: number): void;
  /**
   * The conversation with its signed summary as plain text, for an API that refuses the block; undefined where there is none.
   * What made it so is to be recorded.
   */
  plainSummary?(
    messages: readonly Message[],
    model: ModelInfo,
  ): { messages: Message[]; records: Message[] } | undefined;
  /** Whether staged collapses of this conversation exist, so that `drain` could do something. */
  canDrain(messages: readonly Message[]): boolean;
}
