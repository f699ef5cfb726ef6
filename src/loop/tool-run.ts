/** Runs the tool itself: bounded by its time limit, ended by its own signal, and abandoned if it does not stop. Never throws. */
import { errorText } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import { contentText } from "../protocol/block-text.ts";
import type { ToolResultContent } from "../protocol/message.ts";
import type { Tool, ToolContext, ToolInput, ToolProgress, ToolResult } from "../protocol/tool.ts";
import { waitFor, type Steps } from "../lib/steps.ts";
import type { Run } from "./run.ts";
import type { CallCancel, CallCancelCause } from "./cancel.ts";
import { isBlockList, isToolResultContent } from "./replaced-output.ts";
import * as texts from "./texts.ts";

export interface ToolRun {
  run: Run;
  tool: Tool;
  input: ToolInput;
  context: ToolContext;
  onProgress: (progress: ToolProgress) => void;
  /** Ends the call, through `context.signal`. */
  cancel: CallCancel;
}

export function* callTool(toolRun: ToolRun): Steps<never, ToolResult> {
  const { run, tool, input, context, onProgress } = toolRun;
  const limitMs = tool.timeLimitMs?.(input) ?? run.limits.toolMs;
  let working: Promise<ToolResult>;
  try {
    working = Promise.resolve(tool.call(input, context, onProgress));
  } catch (error) {
    working = Promise.reject(error as Error);
  }
  return yield* waitFor(watchCall(toolRun, working, limitMs));
}

function watchCall({ run, tool, cancel }: ToolRun, working: Promise<ToolResult>, limitMs: number): Promise<ToolResult> {
  return new Promise((resolve) => {
    let stopTimer = run.ports.clock.timer(limitMs, () => cancel.cancel("timeout"));
    let forget = (): void => {};
    const finish = (result: ToolResult): void => {
      stopTimer();
      forget();
      const { cause } = cancel;
      resolve(
        cause !== null && result.isError === true
          ? { ...result, content: endedCallContent(result, tool, cause, limitMs) }
          : result,
      );
    };
    forget = cancel.onCancel(() => {
      stopTimer();
      stopTimer = run.ports.clock.timer(run.limits.settleMs, () => finish({ content: "", isError: true }));
    });
    working.then(
      (result) => finish(checkedResult(tool, result)),
      (error: unknown) => finish({ content: texts.toolUseError(errorText(error)), isError: true }),
    );
  });
}

/** Adds what the tool cannot report itself: that its time limit ended it, or that it never returned. */
function endedCallContent(result: ToolResult, tool: Tool, cause: CallCancelCause, limitMs: number): ToolResultContent {
  const reportedText = contentText(result.content);
  const lost =
    reportedText === "" ? "It did not stop in time and was abandoned; it may still have effects." : reportedText;
  return cause === "timeout" ? `${tool.name} was stopped after its limit of ${limitMs / 1_000} s.\n${lost}` : lost;
}

/** A third-party tool may return anything. A value that is not a result becomes an error that says so. */
function checkedResult(tool: Tool, result: unknown): ToolResult {
  const { content, followUp = [] }: Partial<Record<keyof ToolResult, unknown>> = isRecord(result) ? result : {};
  if (isToolResultContent(content) && isBlockList(followUp)) return result as ToolResult;
  return { content: texts.toolUseError(`${tool.name} returned something that is not a tool result.`), isError: true };
}
