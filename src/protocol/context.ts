/** The Context port: what the loop asks of the layers that keep a conversation within the model's window. */
import type { MediaFacts } from "./money.ts";
import type { CompactingEvent, WaitingEvent } from "./event.ts";
import type { AttachmentMessage, ContentBlock, Message, NoticeMessage, ToolResultContent } from "./message.ts";
import type { ApiMessage, ModelInfo } from "./model.ts";

export interface AutoCompactTracking {
  /** `turnCount` of the last compaction in this user turn; undefined before the first. */
  lastCompactedTurn?: number;
  consecutiveFailures: number;
  /** Compactions no longer gain anything, so none is made for the rest of the user turn. */
  isThrashing?: true;
  /** Tokens of work on this prompt that are no longer in the conversation. */
  taskTokensLost?: number;
}

export interface ContextInput {
  /** The conversation since the last compact boundary. */
  messages: readonly Message[];
  model: ModelInfo;
  /** The `max_tokens` that the next request would ask for. */
  maxTokens: number;
  /** Tokens of system prompt and tools: the share of a request that `messages` do not explain. */
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
      /** Records that turned the input into `messages` (boundary, summary, attachments, strips). The caller appends them in order. */
      records: Message[];
      /** Tokens the request is expected to have. */
      estimatedTokens: number;
      /** The `max_tokens` that still fits the window. */
      maxTokens: number;
      tracking: AutoCompactTracking;
      applied: LayerApplied[];
    }
  | {
      kind: "full";
      estimatedTokens: number;
      limitTokens: number;
      tracking: AutoCompactTracking;
      /** Why nothing shrinks the conversation, and what to do: a sentence for people. Absent: compaction is off. */
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
      /** As in `AutoCompactTracking`, but only what this step lost. */
      taskTokensLost?: number;
    }
  /** There was nothing to do, or what was done did not shrink the request enough. */
  | { kind: "no_progress"; why: string };

export type ContextEvent = CompactingEvent | WaitingEvent | NoticeMessage | AttachmentMessage;

/** Yielded between events: the caller yields nothing until `promise` settles, then passes the result back through `next`. */
export interface Waiting {
  readonly promise: PromiseLike<unknown>;
  /** The name and time limit of this wait; absent: those of the operation it is part of. */
  readonly about?: WaitName | undefined;
}

export interface WaitName {
  name: string;
  limitMs: number;
}

/** The context layers behind one interface. Must not throw; an abort ends them at once with what they have so far. */
export interface ContextPort {
  /** Runs layers 0 to 4 and 7, in order. */
  fit(input: ContextInput, signal: AbortSignal): AsyncGenerator<ContextEvent, FitResult>;
  /** Like `fit`, for a caller that does the waiting itself. Finishes synchronously if nothing has to be waited for. */
  fitSteps?(input: ContextInput, signal: AbortSignal): Generator<ContextEvent | Waiting, FitResult, unknown>;
  /** Runs layer 5. */
  drain(input: ContextInput, signal: AbortSignal): AsyncGenerator<ContextEvent, ShrinkResult>;
  /** Runs layer 6. `media`: the overflow was an image or document that the API refused. `refusal`: what the server said. */
  compactReactively(
    input: ContextInput & {
      media: boolean;
      actualTokens?: number;
      refusal?: { status?: number; detail?: string };
    },
    signal: AbortSignal,
  ): AsyncGenerator<ContextEvent, ShrinkResult>;
  /** Applies layer 0 to one tool result: bounds it, given what its message already holds, and makes its images and documents fit. */
  fitToolResult(
    content: ToolResultContent,
    limits: { toolName: string; toolUseId: string; maxChars: number; usedChars: number; signal?: AbortSignal },
  ): Promise<ToolResultContent>;
  /**
   * How many characters one result, and all results of one message together, may have whatever they contain. For anything longer the loop
   * calls `fitToolResult`. Undefined: only the tool's own limit applies.
   */
  resultChars?(): { one: number; all: number } | undefined;
  /** Applies layer 0 to content that does not come from a tool: images and documents the API accepts, or text in their place. */
  fitMedia?(content: ContentBlock[], signal: AbortSignal): Promise<ContentBlock[]>;
  /** The most tokens that media in these messages can add beyond the bound given by the request's bytes. Absent: none. */
  mediaTokens?(messages: readonly Message[], about?: MediaFacts): number;
  /** Characters of base64 in these messages whose tokens `mediaTokens` bounds too, and more tightly, on that model. Absent: none. */
  mediaBytes?(messages: readonly ApiMessage[], model: ModelInfo): number;
  /** How many of the wanted output tokens fit beside the request in that model's window. Absent: all of them. */
  fittingMaxTokens?(model: ModelInfo, estimatedTokens: number, wanted: number): number;
  /** Records the most tokens a server said it takes. `isRate`: it is an account's rate limit, which may change later. */
  setWindow?(modelId: string, tokens: number, isRate?: boolean): void;
  /** Records that a server refused a request of so many estimated tokens as too long, without naming its limit. */
  guessWindow?(modelId: string, refused: number): void;
  /**
   * Returns the conversation with its signed summary as plain text, for an API that refuses the block; undefined if there is none. The
   * caller must append `records`.
   */
  plainSummary?(
    messages: readonly Message[],
    model: ModelInfo,
  ): { messages: Message[]; records: Message[] } | undefined;
  /** Whether staged collapses of this conversation exist, so that `drain` could do something. */
  canDrain(messages: readonly Message[]): boolean;
}
