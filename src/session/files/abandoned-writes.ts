/** What a process that died in the middle of changing a file left beside it. */
import { realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { removeAbandoned } from "../../lib/atomic-write.ts";
import type { Message } from "../../protocol/message.ts";
import { openCalls } from "../../transcript/pairing.ts";
import type { ProcessTable } from "../../transcript/process-table.ts";

/** Looks beside the files that calls without a result name, and in `own` folders. Never throws: what cannot be removed stays. */
export function removeAbandonedWrites(
  messages: readonly Message[],
  own: readonly string[],
  { cwd, processes }: { cwd: string; processes: ProcessTable },
): void {
  const folders = new Set<string>(own);
  for (const { use } of openCalls(messages)) {
    const path = use.input["file_path"] ?? use.input["notebook_path"];
    if (typeof path === "string") folders.add(dirname(realPath(resolve(cwd, path))));
  }
  for (const folder of folders) removeAbandoned(folder, (pid) => processes.isAlive(pid));
}

/** Links are written through, so that is where the rest is. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
