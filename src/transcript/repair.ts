/** Gives calls that lost their result because the process died a result that tells the model what is known about them. */
import type { Message, Tool, ToolResultBlock, ToolUseBlock, UserMessage } from "../protocol/index.ts";
import { openToolUses } from "./pairing.ts";

export interface RepairOptions {
  /** Calls recorded as started; pass it only if every start is recorded (`facts.recordsToolStarts`). */
  startedCalls?: ReadonlySet<string>;
  /** What a resume may do with a call of this tool whose outcome is unknown. Default: `never`. */
  replay?: (toolName: string) => Tool["replay"] | undefined;
  /** Id of a call that will be answered in another way. */
  exceptToolUseId?: string;
}

/**
 * Returns the messages to append so that every call at the end of `messages` has exactly one result: one message, or none if no call is
 * open. Calling this again with the result appended returns none.
 */
export function repairOrphans(
  messages: readonly Message[],
  ids: { uuid(): string },
  clock: { now(): number },
  options: RepairOptions = {},
): UserMessage[] {
  const open = openToolUses(messages).filter(({ use }) => use.id !== options.exceptToolUseId);
  if (open.length === 0) return [];
  const content = open.map(({ use }): ToolResultBlock => {
    return { type: "tool_result", tool_use_id: use.id, content: orphanText(use, options), is_error: true };
  });
  return [{ type: "user", uuid: ids.uuid(), timestamp: new Date(clock.now()).toISOString(), content }];
}

const repairPrefix = "Interrupted: the session ended ";

/** Whether this result answers a call that was left open when the process died. */
export function isRepairResult({ content, is_error: isError }: ToolResultBlock): boolean {
  return isError === true && typeof content === "string" && content.startsWith(repairPrefix);
}

function orphanText(use: ToolUseBlock, { startedCalls, replay }: RepairOptions): string {
  if (startedCalls !== undefined && !startedCalls.has(use.id)) {
    return `${repairPrefix}before this call was started, so it has not run. Call it again if it is still needed.`;
  }
  const what =
    startedCalls === undefined ? "before the result of this call was recorded" : "while this call was running";
  const outcome = `${repairPrefix}${what}, so its outcome is unknown: it may have run completely, in part, or not at all.`;
  const kind = replay?.(use.name) ?? "never";
  if (kind === "safe") return `${outcome} It changes nothing, so it can simply be called again.`;
  if (kind === "idempotent") return `${outcome} Calling it again with the same input is safe.`;
  return `${outcome} Check the current state before deciding whether to call it again.`;
}
