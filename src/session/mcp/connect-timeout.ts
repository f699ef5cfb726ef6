/** The time limit for connecting to an MCP server. */
import { longestTimerMs } from "../../lib/after-ms.ts";
import type { Environment } from "../../lib/environment.ts";
import { wholeNumber } from "../options/variables.ts";

const defaultMs = 30_000;

export function connectTimeoutMs(env: Environment): number {
  return Math.min(wholeNumber(env["MCP_TIMEOUT"]) ?? defaultMs, longestTimerMs);
}
