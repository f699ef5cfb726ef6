/**
 * Hooks that are tools of MCP servers: called with the configured input, with values of the event's input filled in. By convention, the
 * result is read like the output of a command.
 */
import { tryParseRecord } from "../lib/try-parse-json.ts";
import type { HookInput } from "../protocol/hook.ts";
import { commandOutput } from "./command-hook.ts";
import { handlerName, type McpHandler } from "./handler.ts";
import { failedOutput, type HookOutput } from "./output.ts";

/** Calls the tool and returns the text of its result. Rejects if there is no such tool, or the call failed. */
export type CallServerTool = (
  call: { server: string; tool: string; input: Record<string, unknown> },
  signal: AbortSignal,
) => Promise<string>;

export async function runMcpHook(
  handler: McpHandler,
  input: HookInput & Record<string, unknown>,
  signal: AbortSignal,
  call: CallServerTool,
): Promise<HookOutput> {
  const event = input.hook_event_name;
  const name = handlerName(handler);
  const { server, tool, blocksOnFailure } = handler;
  const text = await call(
    { server, tool, input: fillPlaceholders(handler.input, input) as Record<string, unknown> },
    signal,
  );
  if (text.trim() === "") return {};
  // A guard's answer must be understandable.
  if (blocksOnFailure && tryParseRecord(text) === undefined)
    return failedOutput({}, event, name, "answered with something that is not a JSON object", true);
  return commandOutput({ code: 0, signal: null, stdout: text, stderr: "" }, event, { command: name, blocksOnFailure });
}

const maxDepth = 20;

/** Replaces `${tool_input.file_path}` and the like in all texts by that value of the event's input. */
function fillPlaceholders(value: unknown, input: Record<string, unknown>, depth = 0): unknown {
  if (typeof value === "string")
    return value.replace(/\$\{([\w.-]+)\}/gu, (_whole, path: string) => textAt(input, path.split(".")));
  if (typeof value !== "object" || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((each) => fillPlaceholders(each, input, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, fillPlaceholders(each, input, depth + 1)]),
  );
}

function textAt(input: unknown, path: readonly string[]): string {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return "";
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
