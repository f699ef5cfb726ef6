/**
 * Everything the loop may ask of the outside world, including clock and ids. Any implementation of these ports can run the loop: a test, a
 * thousand sessions, a durable engine.
 */
import type {
  Attachment,
  AttachmentMessage,
  ContentBlock,
  Message,
  NoticeMessage,
  UserMessage,
} from "../protocol/message.ts";
import type { BudgetPort } from "../protocol/money.ts";
import type { ContextPort } from "../protocol/context.ts";
import type { Effort, ModelFailure, ModelPort, QuerySource, SystemBlock, ThinkingSetting } from "../protocol/model.ts";
import type { HookPort } from "../protocol/hook.ts";
import type { PermissionPort } from "../protocol/permission.ts";
import type { Tool, ToolDefinition, ToolInput, ToolInputSchema, InputVerdict } from "../protocol/tool.ts";
import type { TranscriptPort } from "../protocol/record.ts";
import type { TurnEndPort } from "../protocol/turn-end.ts";

export interface ClockPort {
  /** ms since the epoch. */
  now(): number;
  /** Monotonic ms since some moment of this process, for durations and limits: it does not jump when the clock is set. */
  elapsed(): number;
  /** ISO 8601. */
  timestamp(): string;
  /** Calls `onFire` once after `ms`; returns a function that cancels the timer. */
  timer(ms: number, onFire: () => void): () => void;
}

export interface IdPort {
  /** A UUID. */
  uuid(): string;
  /** In [0, 1), for jitter. */
  random(): number;
}

export type RetryAdvice =
  | {
      retry: true;
      delayMs: number;
      maxRetries: number;
      /** The failure does not count toward any limit. */
      isEndless?: true;
    }
  | { retry: false; failure: ModelFailure };

export interface RetryPort {
  /**
   * Says whether to retry. `attempt` is the number of the attempt that failed, from 1; `endless`, how many before it did not count toward
   * any limit. Pure.
   */
  advise(failure: ModelFailure, attempt: number, random: number, endless: number): RetryAdvice;
}

export interface ToolsPort {
  /** The tool definitions. The same array while nothing changes, and changes only append: its bytes are the cached prefix. */
  definitions(): readonly ToolDefinition[];
  /** Finds a tool by name or alias. */
  find(name: string): Tool | undefined;
  validate(schema: ToolInputSchema, input: ToolInput): InputVerdict;
  /**
   * Corrects an input that violates the schema, if its meaning is obvious: returns a new object that fits. Undefined if the meaning is
   * unclear; the same object if the input already fits.
   */
  meant?(schema: ToolInputSchema, input: ToolInput): ToolInput | undefined;
  /** Names of input fields that the tool does not know and ignores. */
  passedOver?(schema: ToolInputSchema, input: ToolInput): readonly string[];
  /** A sentence for the model on an unknown tool name: which tools exist, or which one was probably meant. */
  insteadOf?(name: string): string | undefined;
  cwd(): string;
}

/** Input that arrived while the loop was busy. */
export interface QueuedPrompt {
  uuid: string;
  prompt: ContentBlock[];
}

/** What hooks say about a queued prompt that is to join a running turn. */
export interface QueuedJudgement {
  /** Why the prompt does not join the turn. A refused prompt is consumed. */
  refusal?: string;
  additionalContext: readonly string[];
  notices: readonly NoticeMessage[];
}

export interface QueuePort {
  /** Takes everything that is queued. Each entry is returned once, and is then consumed. */
  take(): QueuedPrompt[];
  /** Whether `judge` must be called for the entries taken. Absent: no. */
  isJudged?(): boolean;
  judge?(entry: QueuedPrompt, signal: AbortSignal): Promise<QueuedJudgement>;
  /** Messages to add after a prompt that joins: the files it mentions, read. May ask a person for permission first. Absent: none. */
  named?(entry: QueuedPrompt, signal: AbortSignal): Promise<readonly (UserMessage | AttachmentMessage)[]>;
  /** Reports the fate of the prompts this run took: completed, or cancelled if the run ended before the model saw them. */
  settle(uuids: readonly string[], outcome: "completed" | "cancelled"): void;
  /** Other news to add between turns: files that changed on disk, background commands that ended. */
  news(): Attachment[];
}

export interface TracePort {
  spanStart(name: string, attributes: Record<string, string | number>): void;
  spanEnd(name: string, attributes: Record<string, string | number>): void;
}

/** Writes the one-line summary of a finished batch. Without this port there are none. The implementation charges its cost to the ledger. */
export interface SummaryPort {
  summarize(messages: readonly Message[], signal: AbortSignal): Promise<string | null>;
}

/** How a model is asked: what one model allows, another may not. */
export interface ModelSettings {
  thinking: ThinkingSetting;
  effort?: Effort;
}

/** A model that a user chose, and how it is asked. */
export interface ChosenModel extends ModelSettings {
  model: string;
}

export interface LoopPorts {
  model: ModelPort;
  /** The model that the user has chosen by now: a choice made during the run counts from the next request on. Absent: the choice never changes. */
  chosenModel?(): ChosenModel | undefined;
  /** How a fallback model is asked. Absent, or undefined: like the model it replaces. */
  modelSettings?(model: string): ModelSettings | undefined;
  retry: RetryPort;
  tools: ToolsPort;
  permission: PermissionPort;
  hooks: HookPort;
  turnEnd: TurnEndPort;
  context: ContextPort;
  budget: BudgetPort;
  transcript: TranscriptPort;
  queue: QueuePort;
  clock: ClockPort;
  ids: IdPort;
  trace?: TracePort;
  summary?: SummaryPort;
}

export interface LoopConfig {
  sessionId: string;
  system: SystemBlock[];
  /** Tried in order when the current model is overloaded or missing. */
  fallbackModels: readonly string[];
  thinking: ThinkingSetting;
  effort?: Effort;
  /** A cap the caller chose. It is never escalated. */
  maxOutputTokens?: number;
  querySource: QuerySource;
  taskBudget?: { total: number };
  speed?: "fast";
  /** Whether to yield raw model deltas. */
  includeRawEvents: boolean;
}

/** Every limit of the loop. Times in ms. */
export interface LoopLimits {
  /** The most turns in one user turn; undefined, the default, for no limit. */
  maxTurns?: number;
  /** How many tokens of work the caller asked for. */
  tokenBudget?: number;
  /** The `max_tokens` of an answer that was not cut yet. Default 8,000. */
  outputTokensDefault: number;
  /** The `max_tokens` for retrying an answer that was cut; undefined, the default: the model's own limit. */
  outputTokensEscalated?: number;
  /** How often an answer that was cut again is continued. Default 3. */
  outputTokensRecoveries: number;
  /** Stop hook blocks in a row; `Infinity` for no cap. Default 8. */
  stopHookBlocks: number;
  /** Overloads in a row before the fallback model takes over. Default 3. */
  overloadsBeforeFallback: number;
  /** How often an answer that the server paused is continued. Default 10. */
  pausedTurns: number;
  /** Tool calls that run side by side. Default 10. */
  toolConcurrency: number;
  /** Characters of all results of one message together. Default 200,000. */
  resultCharsPerMessage: number;
  /** How long a question for permission may stay open. Default 24 hours and a minute. */
  permissionMs: number;
  /** All hooks of one event together, or more if one of them has a longer limit of its own. Default 11 minutes. */
  hookMs: number;
  /** Everything that happens at the end of one answer, together. Default an hour. */
  turnEndMs: number;
  /** A tool call without a limit of its own. Default 30 minutes. */
  toolMs: number;
  /** Default 10 minutes. */
  compactionMs: number;
  /** A call of any other port. Default a minute. */
  portMs: number;
  /** How long the model may send no event. After that, the adapter's own watchdog must have failed. Default 15 minutes. */
  modelSilenceMs: number;
  /** How long cancelled work may take to settle before the loop writes a result for it. Default 5 s. */
  settleMs: number;
}

export const defaultLimits: LoopLimits = {
  outputTokensDefault: 8_000,
  outputTokensRecoveries: 3,
  stopHookBlocks: 8,
  overloadsBeforeFallback: 3,
  pausedTurns: 10,
  toolConcurrency: 10,
  resultCharsPerMessage: 200_000,
  permissionMs: 24 * 60 * 60_000 + 60_000,
  hookMs: 11 * 60_000,
  turnEndMs: 60 * 60_000,
  toolMs: 30 * 60_000,
  compactionMs: 10 * 60_000,
  portMs: 60_000,
  modelSilenceMs: 15 * 60_000,
  settleMs: 5_000,
};

/** The most continues of all kinds together without a `next_turn` in between. */
export function continueCap(limits: LoopLimits): number {
  return limits.stopHookBlocks === Infinity ? 12 : Math.max(12, limits.stopHookBlocks + 4);
}
