/** The scripted model's interface: requests, responses, and the records it keeps. */
import type { BillSummary } from "../billing/bill.ts";
import type { CacheFigures } from "../billing/cache.ts";
import type { UnusedStep } from "../script/select.ts";
import type { ValidationOptions, Violation } from "../validate/report.ts";
import type { WireRequest, WireUsage } from "../wire/types.ts";

export interface ModelRequest {
  method: string;
  /** May have a prefix and a query: only the end (`/v1/messages`) counts. */
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
  /** `off` serves every request that can be read. Default `full`. */
  validate?: "full" | "light" | "off";
  /** Milliseconds. Default: the system clock. Decides cache lifetimes and record times. */
  now?: () => number;
  /** Default: a real timer that ends early with the signal. */
  sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Default: 3.5 bytes of JSON per token. */
  bytesPerToken?: number;
  /** Called once a request has been answered, cut off or refused. */
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
  /** The parsed body; undefined if it was not JSON. Must not be changed: records share the history. */
  body: WireRequest | undefined;
  bodyBytes: number;
  /** The conversation the request belongs to, by its first user message. */
  conversation: string;
  violations: Violation[];
  status: number;
  /** The source of the reply: `step 2`, `rule "name"`, `fallback`; empty for refused requests. */
  source: string;
  /** The kind of the injected fault. */
  fault: string | undefined;
  outcome: Outcome;
  stopReason: string | undefined;
  /** As reported, with the output tokens streamed so far. */
  usage: WireUsage | undefined;
  /** USD; undefined if nothing was charged or the model has no price. */
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
  /** Every request that was refused as invalid, in order, with one entry per violation. */
  readonly violations: readonly RequestProblem[];
  /** Requests for which the script had no reply, or whose reply could not be made. */
  readonly scriptProblems: readonly RequestProblem[];
  /** What the API would charge for everything so far, including failed and cut calls. */
  readonly bill: BillSummary;
  /** Share of all prompt tokens that came from the cache, 0 to 1. */
  readonly cacheReadShare: number;
  unusedSteps(): UnusedStep[];
  /** Throws an error that lists refused requests, script problems and unused steps, if there are any. */
  assertDone(): void;
}
