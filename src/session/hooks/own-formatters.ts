/** Hooks that go over a file behind a call, as formatters do: what they leave of it is no change of somebody else's. */
import { readFile } from "node:fs/promises";
import type { HookInput, HookPort } from "../../protocol/hook.ts";
import type { ReadFileState } from "../../tools/read-state.ts";
import { hashBytes } from "../../tools/text-file.ts";

const changing: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit"]);

export function notingFormatters(hooks: HookPort, readState: ReadFileState): HookPort {
  return {
    has: (event) => hooks.has(event),
    limitMs: (event) => hooks.limitMs?.(event),
    runDetached: (input) => hooks.runDetached(input),
    async run(input, signal) {
      const answer = await hooks.run(input, signal);
      await noteLeft(input, readState);
      return answer;
    },
  };
}

async function noteLeft(input: HookInput, readState: ReadFileState): Promise<void> {
  if (input.hook_event_name !== "PostToolUse" || !changing.has(input.tool_name ?? "")) return;
  const answer = (input.tool_response ?? {}) as { filePath?: unknown; notebook_path?: unknown };
  const path = answer.filePath ?? answer.notebook_path;
  if (typeof path !== "string" || readState.get(path) === undefined) return;
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes !== undefined) readState.leftByHooks(path, hashBytes(bytes));
}
