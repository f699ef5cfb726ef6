/** The scripted model's outside: what it is asked, what it answers, what it remembers. */
import type { BillSummary } from "../billing/bill.ts";
import type { CacheFigures } from "../billing/cache.ts";
import type { UnusedStep } from "../script/select.ts";
import type { ValidationOptions, Violation } from "../validate/report.ts";
import type { WireRequest, WireUsage } from "../wire/types.ts";

export interface ModelRequest {
  method: string;
  /** With or without a prefix and a query: only the end (`/v1/messages`) counts. */
  path: string;
  headers: Record<string, string>;
  body: Uint8Array | string;
  signal?: AbortSignal;
}

/**
 * `body` may throw an error with `code: "ECONNRESET"` (the connection broke), never yield again (a stall, until the
 * request's signal or the iterator's `return` ends it), or simply end early.
 */
export interface ModelResponse {
  status: number;
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
}

export interface ScriptedModelOptions extends Pick<
  ValidationOptions,
  "endpoint" | "strictAlternation" | "requireKey" | "enforceBinding"
> {
  /** `off` serves whatever can be read. Default `full`. */
  validate?: "full" | "light" | "off";
  /** Milliseconds. Default: the system clock. Decides cache lifetimes and record times. */
  now?: () => number;
  /** Default: a real timer that the signal ends. */
  sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Default 3.5 bytes of JSON to a token. */
  bytesPerToken?: number;
  /** Called once a request has been answered, broken off or refused. */
  onRecord?: (record: RequestRecord) => void;
  /** Mixed into every id that the server makes. Default 1. */
  seed?: number;
}

export type Outcome = "pending" | "complete" | "cut" | "refused" | "error";

export interface RequestRecord {
  /** From 1, over all endpoints. */
  number: number;
  /** Milliseconds since the model was created. */
  at: number;
  method: string;
  path: string;
  endpoint: "messages" | "count_tokens" | "models" | "health" | "unknown";
  headers: Record<string, string>;
  /** The parsed body; undefined where it was no JSON. Not to be changed: history is shared between records. */
  body: WireRequest | undefined;
  bodyBytes: number;
  /** Which conversation it belongs to, by its first user message. */
  conversation: string;
  violations: Violation[];
  status: number;
  /** What answered: `step 2`, `rule "name"`, `fallback`; empty for refused requests. */
  source: string;
  /** The fault that was injected, by kind. */
  fault: string | undefined;
  outcome: Outcome;
  stopReason: string | undefined;
  /** As reported, with the output as far as it was streamed. */
  usage: WireUsage | undefined;
  /** USD; undefined where nothing was charged or the model has no price. */
  costUsd: number | undefined;
  isBilled: boolean;
  cache: CacheFigures | undefined;
}

export interface RequestProblem {
  request: number;
  status: number;
  message: string;
}

export interface ScriptedModel {
  handle(request: ModelRequest): Promise<ModelResponse>;
  readonly requests: readonly RequestRecord[];
  /** Every request that was refused as invalid, in order, one entry a fault found. */
  readonly violations: readonly RequestProblem[];
  /** Requests for which the script had no reply, or a reply that could not be made. */
  readonly scriptProblems: readonly RequestProblem[];
  /** What the API would charge for everything so far, failed and cut calls included. */
  readonly bill: BillSummary;
  /** Share of all prompt tokens that came from the cache, 0 to 1. */
  readonly cacheReadShare: number;
  unusedSteps(): UnusedStep[];
  /** Throws an error that lists refused requests, script problems and unused steps, where there are any. */
  assertDone(): void;
}
