/** What the harness and the server's process say to each other. */
import type { ScriptOptions } from "./scripts.ts";

export type ServerQuestion = { ask: "start"; script: string; options: ScriptOptions } | { ask: "stop" };

export type ServerAnswer = { url: string } | { report: ServerReport } | { error: string };

/** Times in ms of the machine's monotonic clock. */
export interface Exchange {
  /** The whole request was read. */
  arrivedAt: number;
  /** The whole reply was handed to the socket. */
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
  /** Calls of other endpoints than `/v1/messages`. */
  otherRequests: number;
  dollars: number;
  cacheReadShare: number;
  /** Of the first request. */
  prefix: PromptTokens | undefined;
  /** From the end of the tool's block to a change in the watched folder, ms. */
  effectMs: number | undefined;
}
