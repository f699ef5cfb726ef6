/** Whole lines onto the end of one file. What a failed write left behind is taken back before anything else is written. */
import { openRegular, writeAll } from "./file-io.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { repairTail, type TailRepair } from "./tail.ts";

export interface LineWriter {
  /** What was found and mended at the end of the file when it was opened. */
  readonly repair: TailRepair;
  /** Bytes in the file when it was opened, after the repair. */
  readonly sizeAtOpen: number;
  /** Appends `line`, which ends with a line feed. Throws the system's error; the file then still holds whole lines only. */
  append(line: string, options: { sync: boolean }): void;
  close(): void;
}

/** Written and used up within one call: most lines need no memory of their own. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

function encoded(text: string): Uint8Array {
  // UTF-8 takes at most three bytes for a UTF-16 unit.
  return text.length * 3 > scratch.length ? Buffer.from(text) : scratch.subarray(0, scratch.write(text));
}

/** Opens or makes the file. Throws `not_regular` for anything but a plain file: it may have been planted. */
export function openLineWriter(fs: TranscriptFileSystem, path: string): LineWriter {
  const descriptor = openRegular(fs, path, "append");
  let size: number;
  let repair: TailRepair;
  try {
    if ((fs.status(descriptor).mode & 0o077) !== 0) fs.setMode(descriptor, 0o600);
    repair = repairTail(fs, descriptor, path);
    size = fs.status(descriptor).size;
  } catch (error) {
    fs.close(descriptor);
    throw error;
  }
  let torn = false;

  function restore(): boolean {
    try {
      fs.truncate(descriptor, size);
      return true;
    } catch {
      return false;
    }
  }

  function append(line: string, { sync }: { sync: boolean }): void {
    let text = line;
    if (torn) {
      torn = !restore();
      // A line feed of its own makes the torn piece one unreadable line, which readers skip.
      if (torn) text = `\n${line}`;
    }
    const bytes = encoded(text);
    try {
      writeAll(fs, descriptor, bytes);
      if (sync) fs.sync(descriptor);
      size = torn ? fs.status(descriptor).size : size + bytes.length;
      torn = false;
    } catch (error) {
      // Also a line that could not be synced: whoever wrote it goes on as if it were not there.
      torn = !restore();
      throw error;
    }
  }

  return { repair, sizeAtOpen: size, append, close: () => fs.close(descriptor) };
}
