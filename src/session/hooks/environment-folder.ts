/** Folders in which hooks write what commands find in their environment: each names its process, and goes with it or after it. */
import { lstatSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { entriesOf } from "../../lib/disk-look.ts";
import { recordIn } from "../../lib/json-in.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { systemCode } from "../../lib/system-reason.ts";
import type { ProcessTable } from "../../transcript/process-table.ts";
import { isGone, ownerOf } from "../owner.ts";

const start = "pawl-hooks-";
const ownerFile = "owner.json";

/** For this user alone. */
export function makeEnvironmentFolder(temporary: string, processes: ProcessTable): string {
  const folder = mkdtempSync(join(temporary, start));
  writeFileSync(join(folder, ownerFile), `${JSON.stringify(ownerOf(processes))}\n`, { flag: "wx", mode: 0o600 });
  return folder;
}

/** Those of processes of this user that are gone. Never throws: what cannot be removed stays. */
export function removeLeftFolders(temporary: string, processes: ProcessTable, now: number): void {
  for (const entry of entriesOf(temporary)) {
    if (!entry.name.startsWith(start) || !entry.isDirectory()) continue;
    const folder = join(temporary, entry.name);
    try {
      if (isLeft(folder, processes, now)) rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      // Untidy at most: whoever comes next tries again.
      if (systemCode(error) === undefined) throw error;
    }
  }
}

function isLeft(folder: string, processes: ProcessTable, now: number): boolean {
  const user = process.getuid?.();
  const { uid, mtimeMs } = lstatSync(folder);
  if (user !== undefined && uid !== user) return false;
  const read = readRegularFile(join(folder, ownerFile), 4096);
  return read.ok && isGone(recordIn(read.text), processes, now - mtimeMs);
}
