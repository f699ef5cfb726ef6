/** All the loop may ask of the world, clock and ids included. Whoever implements these can run the loop: a test, a thousand sessions, a durable engine. */
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
  /** ms since some moment of this process: for durations and limits. It does not jump when the clock is set. */
  elapsed(): number;
  /** ISO 8601. */
  timestamp(): string;
  /** Calls back once after `ms`; returns what cancels it. */
  timer(ms: number, onFire: () => void): () => void;
}

export interface IdPort {
  /** A UUID. */
  uuid(): string;
  /** In [0, 1): jitter. */
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
  /** `attempt` counts from 1: the attempt that failed. `endless` of those before it did not count. Pure. */
  advise(failure: ModelFailure, attempt: number, random: number, endless: number): RetryAdvice;
}

export interface ToolsPort {
  /** The same array while nothing changed, and nothing but additions at its end: its bytes are the cached prefix. */
  definitions(): readonly ToolDefinition[];
  /** By name or alias. */
  find(name: string): Tool | undefined;
  validate(schema: ToolInputSchema, input: ToolInput): InputVerdict;
  /** What an input plainly means that does not fit: another object, which fits. Undefined where it cannot be told; the same where it fits as it is. */
  meant?(schema: ToolInputSchema, input: ToolInput): ToolInput | undefined;
  /** Fields of an input that its tool knows nothing of and passes over, by name. */
  passedOver?(schema: ToolInputSchema, input: ToolInput): readonly string[];
  /** Which tools there are, or which one a name was probably meant for, in a sentence for the model. */
  insteadOf?(name: string): string | undefined;
  cwd(): string;
}

/** Input that arrived while the loop was busy. */
export interface QueuedPrompt {
  uuid: string;
  prompt: ContentBlock[];
}

/** What hooks say of a prompt that is to join a running turn. */
export interface QueuedJudgement {
  /** Why it does not join; it is consumed by that. */
  refusal?: string;
  additionalContext: readonly string[];
  notices: readonly NoticeMessage[];
}

export interface QueuePort {
  /** Hands over what is queued, once; each entry is then consumed. */
  take(): QueuedPrompt[];
  /** Whether anybody judges what was taken. Absent: nobody. */
  isJudged?(): boolean;
  judge?(entry: QueuedPrompt, signal: AbortSignal): Promise<QueuedJudgement>;
  /** What joins behind one that may join: the files it names, read; a person may be asked about them. Absent: nothing. */
  named?(entry: QueuedPrompt, signal: AbortSignal): Promise<readonly (UserMessage | AttachmentMessage)[]>;
  /** Marks what this run took: completed, or cancelled where the run died before the model saw it. */
  settle(uuids: readonly string[], outcome: "completed" | "cancelled"): void;
  /** Other news of a turn border: files changed on disk, commands of the background that ended. */
  news(): Attachment[];
}

export interface TracePort {
  spanStart(name: string, attributes: Record<string, string | number>): void;
  spanEnd(name: string, attributes: Record<string, string | number>): void;
}

/** Makes the one line about a finished batch; off where absent. Counted on the ledger by whoever implements it. */
export interface SummaryPort {
  summarize(messages: readonly Message[], signal: AbortSignal): Promise<string | null>;
}

export interface LoopPorts {
  model: ModelPort;
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
  /** Tried in order when the model before is overloaded or missing. */
  fallbackModels: readonly string[];
  thinking: ThinkingSetting;
  effort?: Effort;
  /** A cap the caller chose; it is never escalated. */
  maxOutputTokens?: number;
  querySource: QuerySource;
  taskBudget?: { total: number };
  speed?: "fast";
  /** Pass raw model deltas on. */
  includeRawEvents: boolean;
}

/** Every bound of the loop. Times in ms. */
export interface LoopLimits {
  /** Turns of one user turn; undefined for no limit. */
  maxTurns?: number;
  /** Tokens of work the caller asked for. */
  tokenBudget?: number;
  outputTokensDefault: number;
  /** What a truncated answer is asked for again with; undefined: the model's own limit. */
  outputTokensEscalated?: number;
  outputTokensRecoveries: number;
  /** In a row; `Infinity` for no cap. */
  stopHookBlocks: number;
  overloadsBeforeFallback: number;
  pausedTurns: number;
  toolConcurrency: number;
  /** All results of one message together, characters. */
  resultCharsPerMessage: number;
  permissionMs: number;
  hookMs: number;
  /** All that happens at the end of one answer together. */
  turnEndMs: number;
  toolMs: number;
  compactionMs: number;
  portMs: number;
  /** No event of the model for this long: the adapter's own watchdog has failed. */
  modelSilenceMs: number;
  /** How long a cancelled piece of work may take to settle before its result is written for it. */
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

/** All recoveries together, without a `next_turn` in between. */
export function continueCap(limits: LoopLimits): number {
  return limits.stopHookBlocks === Infinity ? 12 : Math.max(12, limits.stopHookBlocks + 4);
}
