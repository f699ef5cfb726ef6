/** Types shared by the layers: their dependencies, the request at hand, and their results. */
import type {
  ApiMessage,
  AutoCompactTracking,
  BudgetPort,
  ContextEvent,
  ContextInput,
  FitResult,
  HookPort,
  ModelInfo,
  Message,
  ModelPort,
  ModelRequest,
  ShrinkResult,
  ToolInput,
  ToolResultContent,
  SnipAuthor,
  UserMessage,
  AttachmentMessage,
} from "../protocol/index.ts";
import type { Rerun } from "./cleared-marker.ts";
import type { SpanPlace } from "./collapse-staged.ts";
import type { FitMedia } from "./media-fit-types.ts";
import type { Scan } from "./old-results.ts";
import type { Steps } from "../lib/steps.ts";
import type { ContextPolicy } from "./policy.ts";
import type { ResultRoom } from "./result-room.ts";
import type { Spill } from "./spill.ts";
import type { WindowFigures } from "./window.ts";

/** The part of the main request that a summary's request repeats, so that it begins with the same bytes and hits the cache. */
export type RequestBase = Omit<ModelRequest, "messages" | "cacheBreakpoints" | "maxTokens" | "querySource" | "key">;

/** Spans of finished work with prepared summaries, staged until they are needed. The caller that provides a store closes it. */
export interface CollapseStore {
  /** Returns the positions of staged spans that are still unchanged, oldest first. */
  places(messages: readonly Message[]): SpanPlace[];
  /** May start a summary in the background. Returns at once. */
  stage(pass: Pass): void;
}

/** What the layers that change the past share with the session, so that a resumed session sends what is sent now. */
export interface History {
  /** Applies a record as the transcript does. */
  fold(messages: readonly Message[], record: Message): Message[];
  /** Describes how to repeat a call. Undefined: the tool's result cannot simply be produced again. */
  rerun(toolName: string, input: ToolInput): Rerun | undefined;
  cacheTtl: "5m" | "1h";
  /** Notes that some of what tools returned is no longer in the conversation. */
  forgetShown(): void;
  /** Notes that only the beginning and end of this call's result are in the conversation. */
  markNotShown(toolUseId: string): void;
  /** Spans to take out before the next request. Each waits until its boundary is recorded: a change is lost if the turn ends first. */
  waitingSnips(): readonly SnipRequest[];
  /** Drops a span that must not be taken out; the reason was already reported. */
  refuseSnip(request: SnipRequest): void;
}

export interface ContextDeps {
  model: ModelPort;
  /** `model`: the model that is asked. */
  requestBase(model: string): RequestBase;
  /**
   * The loop's normaliser, with the options of the main request. `openEnd`: a finished answer may be last. `isMissed`: the server requires
   * the model's unsigned thinking back.
   */
  toApi(
    messages: readonly Message[],
    request: { model: ModelInfo; openEnd?: boolean; isMissed?: boolean },
  ): { messages: ApiMessage[]; cacheBreakpoints: number[] };
  budget: BudgetPort;
  /** `timer` calls back once after `ms`; it returns a function that cancels it. */
  clock: { now(): number; timestamp(): string; timer(ms: number, onFire: () => void): () => void };
  ids: { uuid(): string };
  spill: Spill;
  hooks: HookPort;
  /** The session's title, for hooks. */
  sessionTitle?(): string | undefined;
  /** Returns what the model should see again after a compaction: todo list, recently read files, …; the most important first. */
  reattach(kept: readonly Message[]): Promise<Reattachment[]>;
  policy: ContextPolicy;
  /** Windows that servers stated earlier, by model id. */
  windows?: ReadonlyMap<string, number>;
  /** Called when a server states a window, with all known windows. */
  onWindow?(windows: ReadonlyMap<string, number>): void;
  collapse?: CollapseStore;
  /** Without it, only compactions change the past. */
  history?: History;
  /** Absent: images and documents are recorded as they come. */
  fitMedia?: FitMedia;
}

/** What the layers remember for one session. */
export interface ContextMemory {
  /** Windows that servers stated, by model id. */
  windows: Map<string, number>;
  /** The most tokens an account may request at once, by model id. */
  rateLimits: Map<string, number>;
  guesses: Map<string, GuessedWindow>;
  /** Models for which a guess was wrong and was dropped. */
  droppedGuesses: Set<string>;
  /** The model of the last request. */
  lastModel?: string;
  /** Ratio of real to estimated tokens, as last seen. Corrects estimates until a response is counted again. */
  scale: number;
  /** The last scan of the conversation. */
  scan?: Scan;
  hasReportedRatios?: boolean;
  /** Room for tool results in the window of the last request. */
  resultRoom?: ResultRoom | undefined;
  failures: number;
  /** Models for which the API refused signed summaries. */
  signedRefused: Set<string>;
  /** Models that write summaries without thinking, because their server missed thinking that the conversation does not have. */
  modelsWithoutThinking: Set<string>;
  /** Models that get their unsigned thinking back, because their server missed it. */
  modelsNeedingUnsigned: Set<string>;
  /** A compaction was made, and no further one has been due since. */
  hasCompacted: boolean;
  /** How many times in a row the window was full again right after a compaction. */
  refills: number;
  hasReportedStop: boolean;
  hasWarned: boolean;
}

export type World = ContextDeps & { memory: ContextMemory };

/** The request at hand. */
export interface Pass {
  world: World;
  input: ContextInput;
  messages: readonly Message[];
  tokens: number;
  window: WindowFigures;
}

/** Returns the number of failed summaries in a row, in this run of the loop or in the session. */
export function failedSummaries({ world, input }: Pick<Pass, "world" | "input">): number {
  return Math.max(world.memory.failures, input.tracking.consecutiveFailures);
}

/** How a layer changed the conversation. */
export interface Change {
  messages: readonly Message[];
  records: Message[];
  tokens: number;
  tracking: AutoCompactTracking;
}

export interface ResultLimits {
  toolName: string;
  toolUseId: string;
  maxChars: number;
  usedChars: number;
  signal?: AbortSignal;
}

export interface Overflow {
  media: boolean;
  actualTokens?: number;
  /** What the server said, if anything. */
  refusal?: { status?: number; detail?: string };
}

export type SourceLayer = (
  content: ToolResultContent,
  limits: ResultLimits,
  world: Pick<World, "spill" | "policy" | "fitMedia" | "memory" | "history">,
) => Promise<ToolResultContent>;
/** Does not wait if it has nothing to do. */
export type PrepareLayer = (pass: Pass, signal: AbortSignal) => Steps<ContextEvent, Change | undefined>;
export type OverflowLayer = (
  pass: Pass,
  overflow: Overflow,
  signal: AbortSignal,
) => AsyncGenerator<ContextEvent, ShrinkResult>;
export type GateLayer = (pass: Pass) => Extract<FitResult, { kind: "full" }> | undefined;

export interface SnipRequest {
  /** First and last message of the span. */
  fromUuid: string;
  toUuid: string;
  /** Kept in the record. */
  reason?: string;
  /** Default `host`: the program that holds the session. */
  by?: SnipAuthor;
}

export interface Reattachment {
  /** Names it in a few words, for when it does not come back in full. */
  label: string;
  /** Absent: it is only named, never restored. */
  message?: AttachmentMessage | UserMessage;
}

/** A guess for a model whose server refused a request as too long without naming a limit. */
export interface GuessedWindow {
  tokens: number;
  /** The estimated size of the refused request. */
  refusedTokens: number;
}
