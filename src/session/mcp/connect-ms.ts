/** How long an MCP server may take to be there. */
import { wholeNumber } from "../options/variables.ts";

const usualMs = 30_000;
/** What a timer takes, as for single servers: a longer one would be over at once. */
const longestMs = 2_000_000_000;

export function connectMsOf(env: Readonly<Record<string, string | undefined>>): number {
  return Math.min(wholeNumber(env["MCP_TIMEOUT"]) ?? usualMs, longestMs);
}
