/** The summary for people about the hooks at the end of a turn: one line, however many ran. */
import { formatDuration } from "../lib/format-figures.ts";
import { headOf, middleCut } from "../lib/text-cut.ts";
import type { HookRun } from "../protocol/hook.ts";
import type { NoticeMessage } from "../protocol/message.ts";
import { newNotice, type RecordWorld } from "../protocol/new-record.ts";

const maxShown = 5;
const maxNameLength = 80;

/** Returns an empty list if no hooks ran. */
export function turnEndSummary(event: string, runs: readonly HookRun[] = [], world: RecordWorld): NoticeMessage[] {
  if (runs.length === 0) return [];
  const each = runs.slice(0, maxShown).map(({ name, durationMs, isOk }) => {
    const short = middleCut(headOf(name, 8 * maxNameLength).replace(/\s+/gu, " "), maxNameLength, "…");
    return `${short} (${formatDuration(durationMs)}${isOk ? "" : ", failed"})`;
  });
  if (runs.length > maxShown) each.push(`and ${runs.length - maxShown} more`);
  const count = runs.length === 1 ? `1 ${event} hook` : `${runs.length} ${event} hooks`;
  const hooks = runs.map(({ name, durationMs, isOk, problem }) => ({
    command: headOf(name, 500),
    duration_ms: durationMs,
    outcome: isOk ? "success" : "error",
    ...(problem === undefined ? {} : { error: problem }),
  }));
  return [newNotice(world, "info", "stop_hook_summary", `${count} ran: ${each.join(", ")}.`, { event, hooks })];
}
