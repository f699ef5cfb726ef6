/**
 * Time limits for a silent request, from environment variables. `API_TIMEOUT_MS` limits the wait for an answer up to its first words; an
 * answer that keeps arriving is never cut.
 */
import { longestTimerMs } from "../../lib/after-ms.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { Variables } from "../options/variables.ts";

/** In ms; an absent limit has the default of the model client. */
export interface RequestLimits {
  firstByteMs?: number;
  openingMs?: number;
  /** Of `openingMs`, how long may pass between two bytes. */
  openingIdleMs?: number;
  idleMs?: number;
  /** The longest of the limits. */
  longestMs?: number;
}

const defaultIdleMs = 60_000;
/** By convention: the limit of a request whose pauses are not watched, and the minimum for the watchdog of the stream. */
const defaultRequestMs = 600_000;
const minStreamIdleMs = 300_000;

export function requestLimits(variables: Variables, notice: (text: string) => void): RequestLimits {
  const ms = (name: string): number | undefined => variables.number(name, 1, longestTimerMs);
  const request = ms("API_TIMEOUT_MS");
  const firstByteMs = ms("PAWL_FIRST_BYTE_TIMEOUT_MS") ?? request;
  const ownIdleMs = ms("PAWL_IDLE_TIMEOUT_MS");
  const idleMs = ownIdleMs ?? conventionalIdleMs(request, variables, notice);
  const openingIdleMs = request === undefined ? undefined : ownIdleMs;
  const set = [firstByteMs, idleMs, request].filter((limit) => limit !== undefined);
  return {
    ...withoutUndefined({ firstByteMs, openingMs: request, openingIdleMs, idleMs }),
    ...(set.length === 0 ? {} : { longestMs: Math.max(...set) }),
  };
}

function conventionalIdleMs(
  request: number | undefined,
  variables: Variables,
  notice: (text: string) => void,
): number | undefined {
  const bytes = variables.number("CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS", 1, longestTimerMs);
  const stream = variables.number("CLAUDE_STREAM_IDLE_TIMEOUT_MS", 1, longestTimerMs);
  if (stream !== undefined && stream < minStreamIdleMs)
    notice(
      `CLAUDE_STREAM_IDLE_TIMEOUT_MS is raised to ${minStreamIdleMs}, its minimum. PAWL_IDLE_TIMEOUT_MS may be lower.`,
    );
  const words = ["CLAUDE_ENABLE_STREAM_WATCHDOG", "API_FORCE_IDLE_TIMEOUT"].map((name) => variables.flag(name));
  // Nothing waits forever: without a watchdog, a pause may be as long as a whole request.
  if (words.includes(false) && !words.includes(true)) return request ?? defaultRequestMs;
  if (bytes !== undefined) return bytes;
  if (stream !== undefined) return Math.max(stream, minStreamIdleMs);
  return request !== undefined && request < defaultIdleMs ? request : undefined;
}
