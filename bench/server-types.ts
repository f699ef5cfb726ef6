/** The messages between the harness and the server's process. */
import type { ScriptOptions } from "./scripts.ts";

export type ServerQuestion = { ask: "start"; script: string; options: ScriptOptions } | { ask: "stop" };

export type ServerAnswer = { url: string } | { report: ServerReport } | { error: string };

/** Times in ms of the machine's monotonic clock. */
export interface Exchange {
  /** When the whole request was read. */
  arrivedAt: number;
  /** When the whole reply was handed to the socket. */
  endedAt: number | undefined;
  bodyBytes: number;
}

export interface PromptTokens {
  system: number;
  tools: number;
  messages: number;
}

export interface ServerReport {
  exchanges: Exchange[];
  /** ms since the epoch. */
  firstArrivedEpoch: number | undefined;
  /** Requests to other endpoints than `/v1/messages`. */
  otherRequests: number;
  dollars: number;
  cacheReadShare: number;
  /** The prompt tokens of the first request. */
  prefix: PromptTokens | undefined;
  /** In ms, from the end of the tool's block to the change in the watched folder. */
  effectMs: number | undefined;
}
