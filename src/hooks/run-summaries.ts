/** Summaries of hook runs, for readers who want to know how they went. */
import type { HookEvent, HookInput, HookRun } from "../protocol/hook.ts";
import type { HookRecord } from "./runner.ts";

const summarisedEvents: ReadonlySet<HookEvent> = new Set([
  "Stop",
  "SubagentStop",
  "TaskCompleted",
  "TeammateIdle",
  "MessageDisplay",
]);

/** Returns how the runs went, for events at the end of a turn and for MessageDisplay, which a reader waits for. Empty for other events. */
export function summariseRuns(
  startedRuns: readonly { record?: HookRecord }[],
  { hook_event_name: event }: HookInput,
): { runs?: HookRun[] } {
  if (!summarisedEvents.has(event)) return {};
  const runs = startedRuns.flatMap(({ record }) =>
    record === undefined || record.outcome === "cancelled" ? [] : [record],
  );
  if (runs.length === 0) return {};
  return {
    runs: runs.map(({ name, durationMs, outcome, problem }) => ({
      name,
      durationMs,
      isOk: outcome === "success",
      ...(problem === undefined ? {} : { problem }),
    })),
  };
}
