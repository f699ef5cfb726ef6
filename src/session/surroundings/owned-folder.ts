/** Folders of a session in the system's temporary folder. Each names its process and is removed with or after it. */
import { lstatSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { entriesOf } from "../../lib/path-status.ts";
import { tryParseRecord } from "../../lib/try-parse-json.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { systemCode } from "../../lib/system-reason.ts";
import type { ProcessTable } from "../../transcript/process-table.ts";
import { isGone, ownerOf } from "./owner.ts";

const ownerFile = "owner.json";

/** `start`: the beginning of the name. Only this user has access. */
export function makeOwnedFolder(temporary: string, start: string, processes: ProcessTable): string {
  const folder = mkdtempSync(join(temporary, start));
  claimFolder(folder, processes);
  return folder;
}

/** Throws the system's error. */
export function claimFolder(folder: string, processes: ProcessTable): void {
  writeFileSync(join(folder, ownerFile), `${JSON.stringify(ownerOf(processes))}\n`, { flag: "wx", mode: 0o600 });
}

/** Removes folders of this user's dead processes, calling `beforeRemove` before each. Never throws: what cannot be removed stays. */
export function removeAbandonedFolders(
  temporary: string,
  start: string | RegExp,
  processes: ProcessTable,
  now: number,
  beforeRemove?: (folder: string) => void,
): void {
  for (const entry of entriesOf(temporary)) {
    const isOurs = typeof start === "string" ? entry.name.startsWith(start) : start.test(entry.name);
    if (!isOurs || !entry.isDirectory()) continue;
    const folder = join(temporary, entry.name);
    try {
      if (!isAbandoned(folder, processes, now)) continue;
      beforeRemove?.(folder);
      rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      // Does no harm: the next process tries again.
      if (systemCode(error) === undefined) throw error;
    }
  }
}

function isAbandoned(folder: string, processes: ProcessTable, now: number): boolean {
  const user = process.getuid?.();
  const { uid, mtimeMs } = lstatSync(folder);
  if (user !== undefined && uid !== user) return false;
  const read = readRegularFile(join(folder, ownerFile), 4096);
  return read.ok && isGone(tryParseRecord(read.text), processes, now - mtimeMs);
}
