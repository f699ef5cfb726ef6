/** The Model port: one attempt at one response. Retries, fallback and withholding failed answers are up to the loop. */
import type { Effort } from "./effort.ts";
import type { ContentBlock } from "./message.ts";
import type { Failure } from "./stop.ts";
import type { RawStreamEvent } from "./stream-event.ts";
import type { ToolDefinition } from "./tool.ts";
import type { Usage } from "./usage.ts";

export type { Effort };

/** `auto`: the adapter uses what the model's catalogue entry says. */
export type ThinkingSetting =
  | { type: "auto"; display?: ThinkingDisplay }
  | { type: "disabled" }
  | { type: "enabled"; budgetTokens: number; display?: ThinkingDisplay }
  | { type: "adaptive"; display?: ThinkingDisplay };

/** How much of the thinking is shown: a summary, or nothing, which is faster. */
export type ThinkingDisplay = "summarized" | "omitted";

/** Returns the largest fixed thinking budget that `max_tokens` allows: part of it is kept for the answer. */
export function mostThinking(maxTokens: number): number {
  return maxTokens - Math.min(1_024, Math.floor(maxTokens / 4));
}

export interface ApiMessage {
  role: "user" | "assistant";
  content: ContentBlock[];
}

export interface SystemBlock {
  text: string;
  /** A cache breakpoint falls after this block. */
  cacheBreakpoint?: true;
}

export type QuerySource = "main" | "sdk" | "subagent" | "compaction" | "hook" | "side_question";

export interface ModelRequest {
  model: string;
  system: SystemBlock[];
  tools: readonly ToolDefinition[];
  messages: ApiMessage[];
  /** Ascending indexes into `messages`: the last cacheable block of each gets a breakpoint. At most 4, including those in `system`. */
  cacheBreakpoints: number[];
  maxTokens: number;
  thinking: ThinkingSetting;
  effort?: Effort;
  /** Beta headers to send along. */
  betas?: string[];
  taskBudget?: { total: number; remaining?: number };
  /** Faster answers at a higher price, on models that support it. */
  speed?: "fast";
  /**
   * Asks for a signed summary of `messages` in place of a reply: one opaque `compaction` block, stop reason `compaction`.
   * `instructions` replace the server's own. Only for models with `ModelInfo.compaction`.
   */
  compaction?: { instructions?: string };
  querySource: QuerySource;
  sessionId: string;
  /** The stable key of this request in the run, such as `t12.model`. */
  key: string;
}

export type ModelEvent =
  | { type: "start"; messageId: string; requestId?: string; usage: Usage }
  | { type: "raw"; event: RawStreamEvent }
  | {
      type: "block";
      index: number;
      block: ContentBlock;
      /** Set on a `tool_use` whose JSON did not parse although the message ended normally: the raw text. Never executed. */
      invalidInput?: string;
    };

/**
 * A request field, or a value of one, to leave out because the server does not know it. Without `thinking.adaptive`, a request asks for
 * thinking within a budget; without `thinking.enabled`, for adaptive thinking. `tool_use` means extra fields that another server gave to
 * calls in the messages. Without `tool_use.id`, ids are rewritten to a form that every server accepts.
 */
export type RequestField =
  | "cache_control"
  | "cache_control.ttl"
  | "thinking"
  | "thinking.adaptive"
  | "thinking.enabled"
  | "thinking.display"
  | "output_config"
  | "output_config.effort"
  | "output_config.task_budget"
  | "tool_use"
  | "tool_use.id";

export type ModelFailure = Failure & {
  /**
   * What the loop may do about it. `overflow`: the prompt is too long. `media`: an image or document was refused. `summary`: a signed
   * summary, requested or sent back, was refused. `block`: the server does not know a kind of block. `output`: the model gives no answer as
   * long as was asked for. `field`: the server does not know a field of the request; the next request leaves it out.
   */
  recovery:
    | "retry"
    | "overflow"
    | "media"
    | "thinking"
    | "summary"
    | "block"
    | "output"
    | "field"
    | "fallback"
    | "none";
  /** How long the server asked to wait, ms. */
  retryAfterMs?: number;
  /** The server's own limits, tokens, if the error states them. */
  tokens?: {
    actual?: number;
    maximum: number;
    /** The part of `actual` requested for the answer (`max_tokens`). Absent if the server counted the prompt alone, or did not say. */
    answer?: number;
    /** The limit is on usage per minute or per day. What it counts is not the model's token count. */
    isRate?: true;
  };
  /** With recovery `output`: the longest answer the model gives, tokens. */
  answerLimit?: number;
  /** With recovery `field`. */
  field?: RequestField;
  /** With recovery `thinking`: the server misses thinking that the history does not hold, rather than refusing thinking that was sent. */
  thinkingMissed?: true;
  /** With recovery `thinking`: the server knows no blocks of thinking, so it takes none back from now on. */
  thinkingUnknown?: true;
  /** The missing thinking belongs to the current turn only: the next turn may think again. */
  isOfTurn?: true;
  /** An overload (529, overloaded_error): counts toward the switch to the fallback model. */
  overload?: boolean;
  /** The answer had begun, so the input is billed. */
  begun?: true;
  /** The request never reached a server (refused connection, unknown host), so it cannot have been billed. */
  neverSent?: boolean;
  /** On a failure with `neverSent`: nothing suggests a wrong address, so it is retried as often as any other failure. */
  mayPass?: true;
};

export type ModelOutcome =
  | {
      ok: true;
      stopReason: string | null;
      stopDetails?: Record<string, unknown>;
      usage: Usage;
      /** The output limit cut a `tool_use` block, and the block was dropped. */
      partialToolUse?: boolean;
      /** The provider bills nothing for this response, whatever `usage` says. */
      unbilled?: true;
      /** The server never said how long the answer was: `usage` has fewer output tokens than the bill. */
      outputUntold?: true;
    }
  | {
      ok: false;
      failure: ModelFailure;
      /** The usage reported before the failure; undefined if the stream never started. */
      usage?: Usage;
      /** Text of a block that was still open, kept on an interruption. */
      partialText?: string;
    };

export interface ModelStream extends AsyncGenerator<ModelEvent, ModelOutcome> {
  /**
   * Takes and returns what `next` would give if it is available now; undefined if the caller has to wait. Several events usually arrive
   * together.
   */
  ready?(): IteratorResult<ModelEvent, ModelOutcome> | undefined;
}

/**
 * Makes one request and streams it. Must not throw: failures are outcomes. Yields each block when it is complete, in order. Ends within 100
 * ms of `signal` aborting (outcome `aborted`), with the connection closed. Never waits without a time limit.
 */
export interface ModelPort {
  stream(request: ModelRequest, signal: AbortSignal): ModelStream;
  /** The number of bytes `stream` would send, for budget admission and measurement. Memoised together with the serialisation it reuses. */
  measure(request: ModelRequest): { bytes: number };
  /** An exact token count if the endpoint offers one, else undefined. */
  countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number | undefined>;
  info(model: string): ModelInfo;
}

/** USD per million tokens. */
export interface TokenPrices {
  input: number;
  output: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  cacheRead: number;
}

/** Prices that apply while the whole prompt is at most `upToInputTokens`. The last tier has no bound. */
export interface PriceTier extends TokenPrices {
  upToInputTokens?: number;
}

export interface ModelInfo {
  id: string;
  /** False: the model is not in the catalogue. Its window and limits are assumptions, and it has no prices. */
  known: boolean;
  contextWindow: number;
  maxOutputTokens: number;
  /** Ascending by bound; undefined if the prices are unknown. */
  prices?: PriceTier[];
  /** Prices at `speed: "fast"`; undefined if the model has no such mode. */
  fastPrices?: PriceTier[];
  thinking: "none" | "enabled" | "adaptive" | "adaptive_always" | "adaptive_or_disabled";
  /** Thinking blocks are bound to the exact prefix (preserved thinking). */
  thinkingBoundToPrefix: boolean;
  /** Nothing is known about the model: its thinking may come without a signature, and is sent back as it came. */
  unsignedThinking?: boolean;
  /** The API keeps the thinking of older turns. */
  keepsOldThinking: boolean;
  efforts: Effort[];
  defaultEffort?: Effort;
  minCacheTokens: number;
  maxImages: number;
  /** The longer side in pixels, and the tokens, that the provider scales larger images down to; undefined if unknown. */
  imageEdge?: number;
  imageTokens?: number;
  /** The model writes a signed summary on request, and accepts one in place of the messages it covers. */
  compaction?: boolean;
}
