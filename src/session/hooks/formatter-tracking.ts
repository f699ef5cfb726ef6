/** Notes what hooks such as formatters leave in files that calls just wrote, so that it does not count as somebody else's change. */
import type { HookInput, HookPort } from "../../protocol/hook.ts";
import type { ReadFileState } from "../../tools/read-state.ts";
import { hashBytes } from "../../tools/text-file.ts";

const writingTools: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit"]);

export function withFormatterTracking(hooks: HookPort, readState: ReadFileState): HookPort {
  return {
    has: (event) => hooks.has(event),
    limitMs: (event) => hooks.limitMs?.(event),
    runDetached: (input) => hooks.runDetached(input),
    async run(input, signal) {
      const paths = await writtenPaths(input, readState);
      const answer = await hooks.run(input, signal);
      for (const path of paths) {
        const hash = await hashOf(path);
        if (hash !== undefined) readState.recordHookChange(path, hash);
      }
      return answer;
    },
  };
}

async function writtenPaths(input: HookInput, readState: ReadFileState): Promise<string[]> {
  if (input.hook_event_name === "PostToolUse" && writingTools.has(input.tool_name ?? "")) {
    const path = pathIn(input.tool_response, "filePath");
    return path === undefined || readState.get(path) === undefined ? [] : [path];
  }
  if (input.hook_event_name !== "PostToolBatch") return [];
  const calls = (input.tool_calls ?? []).filter(({ tool_name }) => writingTools.has(tool_name));
  const paths = new Set(calls.flatMap(({ tool_input }) => pathIn(tool_input, "file_path") ?? []));
  const asLeft: string[] = [];
  // Another call may have changed the file since, or somebody else before a call that was refused because of that.
  for (const path of paths) {
    const record = readState.get(path);
    const hash = record === undefined ? undefined : await hashOf(path);
    if (hash !== undefined && (hash === record?.hash || hash === record?.leftByHooks)) asLeft.push(path);
  }
  return asLeft;
}

function pathIn(fields: unknown, name: string): string | undefined {
  const { [name]: file, notebook_path: notebook } = (fields ?? {}) as Record<string, unknown>;
  const path = file ?? notebook;
  return typeof path === "string" ? path : undefined;
}

async function hashOf(path: string): Promise<string | undefined> {
  const { readFile } = await import("node:fs/promises");
  const bytes = await readFile(path).catch(() => undefined);
  return bytes === undefined ? undefined : hashBytes(bytes);
}
