/** The tool proper: bounded by its time limit, ended by its own signal, and given up where it does not stop. Never throws. */
import type { ToolResultContent } from "../protocol/message.ts";
import type { Tool, ToolContext, ToolInput, ToolProgress, ToolResult } from "../protocol/tool.ts";
import { errorText, type Run } from "./run.ts";
import * as texts from "./texts.ts";

export interface ToolRun {
  run: Run;
  tool: Tool;
  input: ToolInput;
  context: ToolContext;
  onProgress: (progress: ToolProgress) => void;
  /** Ends the call through `context.signal`. */
  abort: (reason: "timeout") => void;
}

export function callTool({ run, tool, input, context, onProgress, abort }: ToolRun): Promise<ToolResult> {
  const limitMs = tool.timeLimitMs?.(input) ?? run.limits.toolMs;
  const { signal } = context;
  return new Promise((resolve) => {
    let stopTimer = run.ports.clock.timer(limitMs, () => abort("timeout"));
    const onAbort = (): void => {
      stopTimer();
      stopTimer = run.ports.clock.timer(run.limits.settleMs, () => finish({ content: "", isError: true }));
    };
    const finish = (result: ToolResult): void => {
      stopTimer();
      signal.removeEventListener("abort", onAbort);
      resolve(
        signal.aborted && result.isError === true
          ? { ...result, content: explained(result, tool, signal, limitMs) }
          : result,
      );
    };
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    started(tool, input, context, onProgress).then(
      (result) => finish(wellFormed(tool, result)),
      (error: unknown) => finish({ content: texts.toolUseError(errorText(error)), isError: true }),
    );
  });
}

/** What the call itself cannot say: that it was ended by its limit, or never came back. */
function explained(result: ToolResult, tool: Tool, signal: AbortSignal, limitMs: number): ToolResultContent {
  const said = contentText(result.content);
  const lost = said === "" ? "It did not stop in time and was given up; it may go on having effects." : said;
  return signal.reason === "timeout"
    ? `${tool.name} was ended after its limit of ${Math.round(limitMs / 1000)} s.\n${lost}`
    : lost;
}

/** A tool of somebody else's may answer anything; what is no result becomes an error that says so. */
function wellFormed(tool: Tool, result: unknown): ToolResult {
  const content = typeof result === "object" && result !== null && "content" in result ? result.content : undefined;
  const isContent =
    typeof content === "string" ||
    (Array.isArray(content) &&
      content.every((block) => typeof block === "object" && block !== null && "type" in block));
  if (isContent) return result as ToolResult;
  return { content: texts.toolUseError(`${tool.name} returned something that is no result.`), isError: true };
}

async function started(
  tool: Tool,
  input: ToolInput,
  context: ToolContext,
  onProgress: (progress: ToolProgress) => void,
): Promise<ToolResult> {
  return tool.call(input, context, onProgress);
}

export function contentText(content: ToolResultContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}
