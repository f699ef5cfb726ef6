/** Hooks in this process: functions given to the SDK. */
import type { HookEvent, HookInput } from "../protocol/hook.ts";
import { blockIfInvalid, readHookOutput } from "./output.ts";
import type { HookRunner } from "./runner.ts";

export interface FunctionHook {
  /** A tool's name, a list of names, or a regular expression; see `matcher.ts`. Absent: every call. */
  matcher?: string;
  /** Default 60 s (`MessageDisplay`: 10 s). */
  timeoutMs?: number;
  /** `block`: if the hook fails, the call or prompt it was asked about is refused. Default: the failure is ignored. */
  onFailure?: "continue" | "block";
  callback: (
    input: HookInput & Record<string, unknown>,
    context: { signal: AbortSignal; toolUseId?: string },
  ) => Promise<unknown>;
}

const callbackTimeoutMs = 60_000;
/** Somebody is waiting to read the text. */
const displayTimeoutMs = 10_000;

export type FunctionHooks = Partial<Record<HookEvent, readonly FunctionHook[]>>;

export function createFunctionRunners(hooks: FunctionHooks): Partial<Record<HookEvent, HookRunner[]>> {
  const runners: Partial<Record<HookEvent, HookRunner[]>> = {};
  // Callers may pass undefined for an event: `{ Stop: wantsStop ? [stop] : undefined }`.
  for (const [event, list = []] of Object.entries(hooks))
    runners[event as HookEvent] = list.map((hook) => toRunner(hook, event as HookEvent));
  return runners;
}

function toRunner({ matcher, timeoutMs, onFailure, callback }: FunctionHook, event: HookEvent): HookRunner {
  const defaultMs = event === "MessageDisplay" ? displayTimeoutMs : callbackTimeoutMs;
  return {
    name: "function",
    matcher,
    refusesOnTimeout: true,
    blocksOnFailure: onFailure === "block",
    timeoutMs: timeoutMs !== undefined && timeoutMs > 0 ? timeoutMs : defaultMs,
    run: async (input, signal) => {
      const raw = await callback(input, { signal, toolUseId: input.tool_use_id });
      const output = readHookOutput(raw, event, "function");
      return blockIfInvalid(output, event, "function", onFailure === "block");
    },
  };
}
