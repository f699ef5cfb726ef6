/** The time limit for connecting to an MCP server. */
import type { Environment } from "../../lib/environment.ts";
import { wholeNumber } from "../options/variables.ts";

const defaultMs = 30_000;
/** The longest delay a timer accepts, as for single servers: a longer one would fire at once. */
const maxTimerMs = 2_000_000_000;

export function connectTimeoutMs(env: Environment): number {
  return Math.min(wholeNumber(env["MCP_TIMEOUT"]) ?? defaultMs, maxTimerMs);
}
