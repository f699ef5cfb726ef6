/** The shapes the layers share: what they are given of the world, of the request at hand, and what they answer. */
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
  NoticeMessage,
  ShrinkResult,
  ToolInput,
  ToolResultContent,
  SnipAuthor,
  UserMessage,
  AttachmentMessage,
} from "../protocol/index.ts";
import type { Rerun } from "./cleared-marker.ts";
import type { Place } from "./collapse-staged.ts";
import type { FitMedia } from "./fit-media.ts";
import type { Scan } from "./old-results.ts";
import type { Steps } from "../lib/steps.ts";
import type { ContextPolicy } from "./policy.ts";
import type { ResultRoom } from "./result-room.ts";
import type { Spill } from "./spill.ts";
import type { WindowFigures } from "./window.ts";

/** What a summary's request has in common with the main one, so that it begins with the same bytes and hits the cache. */
export type RequestBase = Omit<ModelRequest, "messages" | "cacheBreakpoints" | "maxTokens" | "querySource" | "key">;

/** Spans of finished work with their summaries prepared, waiting to be needed. Whoever gives one closes it. */
export interface CollapseStore {
  /** Where the staged spans are, of those that still are as they were; oldest first. */
  places(messages: readonly Message[]): Place[];
  /** May begin a summary in the background; returns at once. */
  stage(pass: Pass): void;
}

/** What the layers that change the past share with the session, so that what is sent now is what a resume sends. */
export interface History {
  /** The transcript's own. */
  fold(messages: readonly Message[], record: Message): Message[];
  /** Undefined: what the tool gave cannot simply be had again. */
  rerun(toolName: string, input: ToolInput): Rerun | undefined;
  cacheTtl: "5m" | "1h";
  /** Not everything that tools gave is in the conversation any more. */
  forgetShown(): void;
  /** Of what this call showed only the ends are in the conversation. */
  notShown(toolUseId: string): void;
  /** Spans to be taken out at this border, each until its boundary is on record: what a border makes of one is lost where the turn ends there. */
  waitingSnips(): readonly SnipRequest[];
  /** It is not to be taken out, which was told. */
  refuseSnip(request: SnipRequest): void;
}

export interface ContextDeps {
  model: ModelPort;
  requestBase(): RequestBase;
  /**
   * The loop's normaliser, with the options of the main request. `openEnd`: a finished answer may stand last. `isMissed`: the server
   * wants back what the model thought without a signature.
   */
  toApi(
    messages: readonly Message[],
    request: { model: ModelInfo; openEnd?: boolean; isMissed?: boolean },
  ): { messages: ApiMessage[]; cacheBreakpoints: number[] };
  budget: BudgetPort;
  /** `timer` calls back once after `ms`; what it returns cancels it. */
  clock: { now(): number; timer(ms: number, onFire: () => void): () => void };
  ids: { uuid(): string };
  spill: Spill;
  hooks: HookPort;
  /** What the session is called, for hooks. */
  sessionTitle?(): string | undefined;
  /** What the model should see again after a compaction: todo list, files last read, …; the most important first. */
  reattach(kept: readonly Message[]): Promise<Reattachment[]>;
  policy: ContextPolicy;
  /** Windows that servers told before, by model id. */
  windows?: ReadonlyMap<string, number>;
  /** A server told one: all of them. */
  onWindow?(windows: ReadonlyMap<string, number>): void;
  collapse?: CollapseStore;
  /** Without it the past is changed by compactions alone. */
  history?: History;
  /** Absent: images and documents are recorded as they come. */
  fitMedia?: FitMedia;
}

/** What one session's defences remember. */
export interface ContextMemory {
  /** Windows told by the server, by model id. */
  windows: Map<string, number>;
  /** The most that an account may ask for at once, by model id. */
  rates: Map<string, number>;
  guesses: Map<string, GuessedWindow>;
  /** Models of which a guess was given up. */
  misled: Set<string>;
  /** The one that was last asked. */
  lastModel?: string;
  /** Real tokens over estimated ones, as last seen; corrects estimates until a response counts again. */
  scale: number;
  /** Of the conversation as it was last looked at. */
  scan?: Scan;
  hasToldRatios?: boolean;
  /** For results of tools, in the window of the last request. */
  resultRoom?: ResultRoom | undefined;
  failures: number;
  /** Models for which signed summaries were refused. */
  signedRefused: Set<string>;
  /** Models that are asked for summaries without thinking: their server missed thinking that the conversation does not hold. */
  unthinking: Set<string>;
  /** Models that get back what they thought without a signature: their server missed it. */
  unsigned: Set<string>;
  /** One was made, and none was needed since. */
  hasCompacted: boolean;
  /** How often in a row the window was full again at once. */
  refills: number;
  hasSaidStopped: boolean;
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

/** Failed summaries in a row: in this run of the loop, or in the session. */
export function failedSummaries({ world, input }: Pick<Pass, "world" | "input">): number {
  return Math.max(world.memory.failures, input.tracking.consecutiveFailures);
}

/** What a layer made of the conversation. */
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
  /** What the server said, where it did. */
  refusal?: { status?: number; detail?: string };
}

export type SourceLayer = (
  content: ToolResultContent,
  limits: ResultLimits,
  world: Pick<World, "spill" | "policy" | "fitMedia" | "memory" | "history">,
) => Promise<ToolResultContent>;
/** Waits for nothing where it has nothing to do. */
export type PrepareLayer = (pass: Pass, signal: AbortSignal) => Steps<ContextEvent, Change | undefined>;
export type OverflowLayer = (
  pass: Pass,
  overflow: Overflow,
  signal: AbortSignal,
) => AsyncGenerator<ContextEvent, ShrinkResult>;
export type GateLayer = (pass: Pass) => Extract<FitResult, { kind: "full" }> | undefined;

/** What each record has of its own. */
export function minted({ ids, clock }: World): { uuid: string; timestamp: string } {
  return { uuid: ids.uuid(), timestamp: new Date(clock.now()).toISOString() };
}

export function noticeOf(world: World, level: NoticeMessage["level"], name: string, text: string): NoticeMessage {
  return { type: "notice", ...minted(world), level, name, text };
}

export interface SnipRequest {
  /** First and last message of the span. */
  fromUuid: string;
  toUuid: string;
  /** For the record. */
  reason?: string;
  /** Default `host`: the program that holds the session. */
  by?: SnipAuthor;
}

export interface Reattachment {
  /** What it is, in a few words: said where it does not come back whole. */
  label: string;
  /** Absent: it never does. */
  message?: AttachmentMessage | UserMessage;
}

/** Of a model whose server refused a request as too long and named no figure. */
export interface GuessedWindow {
  tokens: number;
  /** What was refused, estimated. */
  refused: number;
}
