/** Formats the output of a built-in command for a person. */
import { sanitize } from "../../lib/sanitize.ts";
import type { ContextUsage } from "../../protocol/context-usage.ts";
import type { SDKResultMessage } from "../../protocol/sdk.ts";
import { contextDetails, contextFoot, contextHead } from "../../session/commands/context.ts";
import { contextGrid } from "./context-grid.ts";
import { wrapHanging } from "./wrap-hanging.ts";
import type { Style } from "./style.ts";

/** Returns undefined if the result is not from a command. Adds no line end. */
export function commandOutput(result: SDKResultMessage, style: Style, columns: number): string | undefined {
  const { local_command: name, local_command_output: output } = result;
  if (name === undefined || result.subtype !== "success") return undefined;
  const sanitized = sanitize(result.result);
  // JSON is for programs, so it is not wrapped.
  const text = /^[[{]/u.test(sanitized) ? sanitized : wrapHanging(sanitized, columns);
  if (result.is_error) return style.red(text);
  if (name !== "context" || output?.argument !== "" || output.data === undefined) return text;
  const usage = output.data as ContextUsage;
  const grid = contextGrid(usage, style, columns);
  const below = [...contextDetails(usage), ...contextFoot(usage)].join("\n");
  return [wrapHanging(contextHead(usage), columns), "", ...grid, "", wrapHanging(below, columns)].join("\n");
}
