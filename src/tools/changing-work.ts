/** The work of Edit, Write and NotebookEdit: foresee whether a change can succeed, and make it. */
import type { ToolContext, ToolResult } from "../protocol/tool.ts";
import { changeFile, foreseenRefusal, type FileChange, type FileChanged } from "./change-file.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { settle } from "./failure.ts";
import { judgedPlace } from "./judged-place.ts";
import { showPath } from "./paths.ts";

/** The change that an input asks for. */
export interface WantedChange extends Pick<FileChange, "needs" | "compute"> {
  /** Builds the tool result once the change is made. */
  told: (changed: FileChanged) => ToolResult | Promise<ToolResult>;
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
  foresee: Step<Input, string | undefined>;
  change: Step<Input, ToolResult>;
}

/** `action` completes "Cannot … <name>". */
export function changingWork<Input>(
  action: string,
  wantedBy: (input: Input, place: { path: string; name: string }, dependencies: ToolDependencies) => WantedChange,
): ChangingWork<Input> {
  const changeOf = (path: string, input: Input, context: ToolContext, dependencies: ToolDependencies) => {
    const name = showPath(path, context.cwd);
    const { told, ...own } = wantedBy(input, { path, name }, dependencies);
    const change: FileChange = { path, name, signal: context.signal, place: judgedPlace(path, context), ...own };
    return { change, told };
  };
  return {
    foresee: async (path, input, context, dependencies) =>
      await foreseenRefusal(changeOf(path, input, context, dependencies).change, dependencies),
    change: async (path, input, context, dependencies) => {
      const attempt = { action, name: showPath(path, context.cwd), signal: context.signal };
      return await settle(attempt, async () => {
        const { change, told } = changeOf(path, input, context, dependencies);
        return await told(await changeFile(change, dependencies));
      });
    },
  };
}
