/** In-process hooks: functions given to the SDK. */
import type { HookEvent, HookInput } from "../protocol/hook.ts";
import { createHooks, type HookDependencies, type HookRunner, type OwnedHooks } from "./run.ts";

export interface FunctionHook {
  /** A tool's name, a list, or an expression; see `matcher.ts`. Absent: every call. */
  matcher?: string;
  /** Default 60 s, at most 10 minutes. */
  timeoutMs?: number;
  callback: (
    input: HookInput & Record<string, unknown>,
    context: { signal: AbortSignal; toolUseId?: string },
  ) => Promise<unknown>;
}

const defaultTimeoutMs = 60_000;
const maxTimeoutMs = 10 * 60_000;

export function createFunctionHooks(
  hooks: Partial<Record<HookEvent, readonly FunctionHook[]>>,
  dependencies: HookDependencies,
): OwnedHooks {
  const runners: Partial<Record<HookEvent, HookRunner[]>> = {};
  for (const [event, list] of Object.entries(hooks)) runners[event as HookEvent] = list.map(toRunner);
  return createHooks(runners, dependencies);
}

function toRunner({ matcher, timeoutMs, callback }: FunctionHook): HookRunner {
  return {
    name: "function",
    matcher,
    refusesOnTimeout: true,
    timeoutMs: timeoutMs !== undefined && timeoutMs > 0 ? Math.min(timeoutMs, maxTimeoutMs) : defaultTimeoutMs,
    run: (input, signal) => callback(input, { signal, toolUseId: input.tool_use_id }),
  };
}
