/** The Model port: one attempt at one response. Retries, fallback and withholding are the loop's. */
import type { Effort } from "./effort.ts";
import type { ContentBlock } from "./message.ts";
import type { Failure } from "./stop.ts";
import type { RawStreamEvent } from "./stream-event.ts";
import type { ToolDefinition } from "./tool.ts";
import type { Usage } from "./usage.ts";

export type { Effort };

/** `auto` lets the adapter take what the model's catalogue entry says. */
export type ThinkingSetting =
  | { type: "auto"; display?: ThinkingDisplay }
  | { type: "disabled" }
  | { type: "enabled"; budgetTokens: number; display?: ThinkingDisplay }
  | { type: "adaptive"; display?: ThinkingDisplay };

/** What of the thinking is shown: a summary, or nothing, which is quicker. */
export type ThinkingDisplay = "summarized" | "omitted";

/** How much of `max_tokens` a fixed budget of thinking may take: the answer keeps a part. */
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
  /** Index into `messages` of those whose last cacheable block carries a breakpoint, ascending. At most 4 with the system's. */
  cacheBreakpoints: number[];
  maxTokens: number;
  thinking: ThinkingSetting;
  effort?: Effort;
  /** Beta headers to send along. */
  betas?: string[];
  taskBudget?: { total: number; remaining?: number };
  /** Faster answers at a higher price, on models that have them. */
  speed?: "fast";
  /**
   * Asks for a signed summary of `messages` in place of a reply: one opaque `compaction` block, stop reason `compaction`.
   * `instructions` replace the server's own. Only for models with `ModelInfo.compaction`.
   */
  compaction?: { instructions?: string };
  querySource: QuerySource;
  sessionId: string;
  /** `t12.model`: the effect's stable key. */
  key: string;
}

export type ModelEvent =
  | { type: "start"; messageId: string; requestId?: string; usage: Usage }
  | { type: "raw"; event: RawStreamEvent }
  | {
      type: "block";
      index: number;
      block: ContentBlock;
      /** Set on a `tool_use` whose JSON did not parse although the message ended well: the raw text. Never executed. */
      invalidInput?: string;
    };

/**
 * A field that a request can do without, where its server does not know it, or what of it the server does not know. Without
 * `thinking.adaptive` a request asks for thinking within a budget, and without `thinking.enabled` for adaptive thinking. `tool_use`
 * are fields of calls in its messages that their own server gave them, and without `tool_use.id` their ids are such that any server takes.
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
   * What the loop may do about it. `overflow`: the prompt is too long. `media`: an image or document was refused.
   * `summary`: a signed summary was refused, asked for or sent back. `block`: a block of a kind that the server does not know. `output`: the model gives no answer as long as was asked for.
   * `field`: a field of the request that the server does not know, which the next request is made without.
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
  /** Wait asked for by the server, ms. */
  retryAfterMs?: number;
  /** The server's own limits in the answer, tokens, where it told them. */
  tokens?: {
    actual?: number;
    maximum: number;
    /** Of `actual`, what was asked for as the answer (`max_tokens`); absent where it counted the prompt alone, or did not say. */
    answer?: number;
    /** A limit on what is used in a minute or a day. What it counts is no count of the model's tokens. */
    isRate?: true;
  };
  /** Of the recovery `output`: the longest answer, tokens. */
  answerLimit?: number;
  /** Of the recovery `field`. */
  field?: RequestField;
  /** Of the recovery `thinking`: the server misses thinking that the history does not hold, and refuses none. */
  thinkingMissed?: true;
  /** It misses that of the turn that runs alone: the next one may be thought about. */
  isOfTurn?: true;
  /** An overload (529, overloaded_error): counted toward the switch to the fallback model. */
  overload?: boolean;
  /** The answer had begun: what was asked is on the bill. */
  begun?: true;
  /** The request never reached a server (refused connection, unknown host): it cannot have been billed. */
  neverSent?: boolean;
  /** Of one that was never sent: nothing speaks for a wrong address, so that it is tried as often as others are. */
  mayPass?: true;
};

export type ModelOutcome =
  | {
      ok: true;
      stopReason: string | null;
      stopDetails?: Record<string, unknown>;
      usage: Usage;
      /** A `tool_use` block was cut by the output limit and dropped. */
      partialToolUse?: boolean;
      /** The provider bills nothing for it, whatever `usage` says. */
      unbilled?: true;
      /** The server never said how long the answer was: `usage` has less of it than the bill. */
      outputUntold?: true;
    }
  | {
      ok: false;
      failure: ModelFailure;
      /** What was seen before it failed; undefined where the stream never started. */
      usage?: Usage;
      /** Text of a block that was still open, kept on an interruption. */
      partialText?: string;
    };

export interface ModelStream extends AsyncGenerator<ModelEvent, ModelOutcome> {
  /** What `next` would answer at once, taken from it; undefined where it has to be waited for. Several events mostly come together. */
  ready?(): IteratorResult<ModelEvent, ModelOutcome> | undefined;
}

/**
 * Makes one request and streams it. Must not throw: failures are outcomes. Yields each block when it is complete, in order.
 * Ends within 100 ms of `signal` aborting (outcome `aborted`), with the connection closed. No wait without a limit.
 */
export interface ModelPort {
  stream(request: ModelRequest, signal: AbortSignal): ModelStream;
  /** Bytes `stream` would send, for admission and measurement; memoised with the serialisation it reuses. */
  measure(request: ModelRequest): { bytes: number };
  /** Exact count where the endpoint has one, else undefined. */
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

/** Prices that hold while the whole prompt is at most `upToInputTokens`. The last tier has no bound. */
export interface PriceTier extends TokenPrices {
  upToInputTokens?: number;
}

export interface ModelInfo {
  id: string;
  /** False: not in the catalogue; window and limits are assumptions and there are no prices. */
  known: boolean;
  contextWindow: number;
  maxOutputTokens: number;
  /** Ascending by bound; undefined where nobody told the price. */
  prices?: PriceTier[];
  /** At `speed: "fast"`; undefined where the model has no such mode. */
  fastPrices?: PriceTier[];
  thinking: "none" | "enabled" | "adaptive" | "adaptive_always" | "adaptive_or_disabled";
  /** Thinking blocks are bound to the exact prefix (preserved thinking). */
  thinkingBoundToPrefix: boolean;
  /** Nobody described the model: its thinking may come without a signature, and goes back as it came. */
  unsignedThinking?: boolean;
  /** Older turns' thinking is kept by the API. */
  keepsOldThinking: boolean;
  efforts: Effort[];
  defaultEffort?: Effort;
  minCacheTokens: number;
  maxImages: number;
  /** Pixels of the longer side, and tokens, that the provider scales larger images down to; undefined where nobody told. */
  imageEdge?: number;
  imageTokens?: number;
  /** Writes a signed summary on demand, and takes one back in place of the messages it stands for. */
  compaction?: boolean;
}
