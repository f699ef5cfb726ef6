/** The progress of a headless run for a person at the terminal: tool lines, turns, retries, cost. On stderr, never on stdout. */
import { formatCost, formatDuration, formatTokens, formatTurns } from "../../lib/format-figures.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { ModelUsage } from "../../protocol/usage.ts";
import type { SessionCost } from "../engine-port.ts";
import { CallNames } from "../show/call-names.ts";
import { noticeOf } from "../show/notice.ts";
import type { Style } from "../show/style.ts";
import { indentOf, toolResultLine, toolUseLine } from "../show/tool-line.ts";

export interface ProgressOptions {
  write: (line: string) => void;
  style: Style;
  width: number;
  cwd: string;
  cost: () => SessionCost;
}

export function createProgress({ write, style, width, cwd, cost }: ProgressOptions): (message: SDKMessage) => void {
  const usageFigures = (): string => {
    const { totalUsd, modelUsage } = cost();
    return `${usageLine(modelUsage)} · ${formatCost(totalUsd, modelUsage)}`;
  };
  /** Calls whose refusal was shown already. Their tool result would repeat it. */
  const refused = new Set<string>();
  const calls = new CallNames();
  const writeBlocks = (content: readonly { type: string; [key: string]: unknown }[], agent: string | null): void => {
    const indent = indentOf({ parent_tool_use_id: agent });
    for (const block of content) {
      if (block.type === "tool_use") {
        const input = (block["input"] ?? {}) as Record<string, unknown>;
        const room = width - 2 - indent.length;
        const line = toolUseLine(String(block["name"]), input, room, cwd);
        write(`${indent}${style.green("●")} ${calls.labelCall(String(block["id"]), line, agent, room)}`);
      } else if (block.type === "tool_result") {
        const id = String(block["tool_use_id"]);
        const isError = block["is_error"] === true;
        const room = width - 4 - indent.length;
        const result = calls.labelResult(id, toolResultLine(block["content"], isError, room), room);
        if (refused.delete(id)) continue;
        const line = `${indent}  └ ${result}`;
        write(isError ? style.red(line) : style.dim(line));
      }
    }
  };
  return (message) => {
    const notice = noticeOf(message);
    if (message.type === "system" && message.subtype === "permission_denied") {
      refused.add(message.tool_use_id);
      return write(style.yellow(calls.labelRefusal(message.tool_use_id, notice?.text ?? "")));
    }
    if (notice !== undefined)
      return write(notice.tone === "quiet" ? style.dim(notice.text) : style.yellow(notice.text));
    switch (message.type) {
      case "assistant":
        return writeBlocks(message.message.content, message.parent_tool_use_id);
      case "user":
        return typeof message.message.content === "string"
          ? undefined
          : writeBlocks(message.message.content, message.parent_tool_use_id);
      case "system":
        if (message.subtype === "transition") write(style.dim(`turn ${message.turn_count} · ${usageFigures()}`));
        if (message.subtype === "init")
          write(style.dim(oneLine(`${message.model} · ${message.permissionMode} mode`, width)));
        return undefined;
      case "result":
        return message.local_command !== undefined
          ? undefined
          : write(
              style.dim(
                `${formatTurns(message.num_turns)} in ${formatDuration(message.duration_ms)} · ${usageFigures()}`,
              ),
            );
      default:
        return undefined;
    }
  };
}

/** Returns the usage of all models together, such as `33.1k in (96 % cached) · 1.2k out`. */
export function usageLine(modelUsage: Readonly<Record<string, ModelUsage>>): string {
  let input = 0;
  let cached = 0;
  let output = 0;
  for (const usage of Object.values(modelUsage)) {
    input += usage.inputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
    cached += usage.cacheReadInputTokens;
    output += usage.outputTokens;
  }
  const share = input === 0 ? 0 : Math.floor((cached / input) * 100);
  return `${formatTokens(input)} in${share === 0 ? "" : ` (${share} % cached)`} · ${formatTokens(output)} out`;
}
