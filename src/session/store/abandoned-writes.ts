/** Removes temporary files left by a process that died while it was changing a file. */
import { dirname, join, resolve } from "node:path";
import { removeUnfinishedWrites, temporaryFilePid } from "../../lib/atomic-write.ts";
import { realPathOf } from "../../lib/path-status.ts";
import type { Message } from "../../protocol/message.ts";
import { openToolUses } from "../../transcript/pairing.ts";
import type { TranscriptFileSystem } from "../../transcript/file-system.ts";
import { nodeProcesses, type ProcessTable } from "../../transcript/process-table.ts";
import { systemClock } from "../../lib/system-clock.ts";

/** Looks beside the files named by calls without a result. Never throws: what cannot be removed stays. */
export function removeAbandonedWrites(
  messages: readonly Message[],
  { cwd, processes }: { cwd: string; processes: ProcessTable },
): void {
  const folders = new Set<string>();
  for (const { use } of openToolUses(messages)) {
    const path = use.input["file_path"] ?? use.input["notebook_path"];
    if (typeof path !== "string") continue;
    const own = resolve(cwd, path);
    // Writes follow links, so leftovers are beside the link's target.
    folders.add(dirname(realPathOf(own) ?? own));
  }
  for (const folder of folders) removeUnfinishedWrites(folder, (pid) => processes.isAlive(pid));
}

/** The same in a folder of a project or of the user that is about to be written to. */
export function removeAbandonedBeside(path: string): void {
  // Other machines may share the folder.
  removeUnfinishedWrites(dirname(path), (pid) => nodeProcesses.isAlive(pid), systemClock.now());
}

/** The same in one of pawl's own folders. */
export function removeAbandonedIn(
  folder: string,
  { files, processes }: { files: TranscriptFileSystem; processes: ProcessTable },
): void {
  try {
    for (const name of files.list(folder)) {
      const pid = temporaryFilePid(name);
      if (pid !== undefined && !processes.isAlive(pid)) files.remove(join(folder, name));
    }
  } catch (error) {
    // Harmless clutter: the next run tries again.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
}
