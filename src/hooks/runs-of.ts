/** Runs of hooks, for whoever reads how they went. */
import type { HookEvent, HookInput, HookRun } from "../protocol/hook.ts";
import type { HookRecord } from "./runner.ts";

const toldOf: ReadonlySet<HookEvent> = new Set([
  "Stop",
  "SubagentStop",
  "TaskCompleted",
  "TeammateIdle",
  "MessageDisplay",
]);

/** How the runs at a turn's end went, and those that somebody who reads waits for; elsewhere nobody tells of it. */
export function runsOf(
  started: readonly { record?: HookRecord }[],
  { hook_event_name: event }: HookInput,
): { runs?: HookRun[] } {
  if (!toldOf.has(event)) return {};
  const runs = started.flatMap(({ record }) =>
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
