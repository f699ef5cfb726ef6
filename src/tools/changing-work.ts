/** The work of Edit, Write and NotebookEdit: foresee whether a change can succeed, and make it. */
import type { ToolContext, ToolResult } from "../protocol/tool.ts";
import { changeFile, predictRefusal, type FileChange, type ChangedFile } from "./change-file.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { settleAttempt } from "./failure.ts";
import { judgedPlace } from "./judged-place.ts";
import { showPath } from "./paths.ts";

/** The change that an input asks for. */
export interface WantedChange extends Pick<FileChange, "needs" | "compute"> {
  /** Builds the tool result once the change is made. */
  buildResult: (changedFile: ChangedFile) => ToolResult | Promise<ToolResult>;
}

/** `path` is absolute. */
type Step<Input, Result> = (
  path: string,
  input: Input,
  context: ToolContext,
  dependencies: ToolDependencies,
) => Promise<Result>;

export interface ChangingWork<Input> {
  /** Returns the reason the change cannot succeed; undefined if none is known yet. */
  predictRefusal: Step<Input, string | undefined>;
  change: Step<Input, ToolResult>;
}

/** `action` completes "Cannot … <name>". */
export function createChangingWork<Input>(
  action: string,
  planChange: (input: Input, place: { path: string; name: string }, dependencies: ToolDependencies) => WantedChange,
): ChangingWork<Input> {
  const createChange = (path: string, input: Input, context: ToolContext, dependencies: ToolDependencies) => {
    const name = showPath(path, context.cwd);
    const { buildResult, ...own } = planChange(input, { path, name }, dependencies);
    const change: FileChange = { path, name, signal: context.signal, place: judgedPlace(path, context), ...own };
    return { change, buildResult };
  };
  return {
    predictRefusal: async (path, input, context, dependencies) =>
      await predictRefusal(createChange(path, input, context, dependencies).change, dependencies),
    change: async (path, input, context, dependencies) => {
      const attempt = { action, name: showPath(path, context.cwd), signal: context.signal };
      return await settleAttempt(attempt, async () => {
        const { change, buildResult } = createChange(path, input, context, dependencies);
        return await buildResult(await changeFile(change, dependencies));
      });
    },
  };
}
