/** Whole lines onto the end of one file. What a failed write left behind is taken back before anything else is written. */
import { TranscriptError } from "./error.ts";
import { openRegular, writeAll } from "./file-io.ts";
import type { FileStatus, TranscriptFileSystem } from "./file-system.ts";
import { repairTail, type TailRepair } from "./tail.ts";

export interface LineWriter {
  /** What was found and mended at the end of the file when it was opened. */
  readonly repair: TailRepair;
  /** Bytes in the file when it was opened, after the repair. */
  readonly sizeAtOpen: number;
  /**
   * Appends `line` and a line feed. Throws the system's error, or `not_found` where another file or none is at the path now;
   * the file then still holds whole lines only.
   */
  append(line: string, isSynced: boolean): void;
  close(): void;
}

/** Written and used up within one call: most lines need no memory of their own. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);
const lineFeed = 0x0a;

/** Opens or makes the file. Throws `not_regular` for anything but a plain file: it may have been planted. */
export function openLineWriter(fs: TranscriptFileSystem, path: string): LineWriter {
  const descriptor = openRegular(fs, path, "append");
  try {
    if ((fs.status(descriptor).mode & 0o077) !== 0) fs.setMode(descriptor, 0o600);
    return new FileLines(fs, descriptor, path, repairTail(fs, descriptor, path));
  } catch (error) {
    fs.close(descriptor);
    throw error;
  }
}

function statusAt(fs: TranscriptFileSystem, path: string): FileStatus {
  const status = fs.statusOf(path);
  if (status === undefined) throw gone();
  return status;
}

function gone(): TranscriptError {
  return new TranscriptError("not_found", "it was moved, removed or replaced since the session was opened");
}

class FileLines implements LineWriter {
  readonly repair: TailRepair;
  readonly sizeAtOpen: number;
  readonly #fs: TranscriptFileSystem;
  readonly #descriptor: number;
  readonly #path: string;
  readonly #file: FileStatus;
  #size: number;
  #isTorn = false;
  /** When it was seen to lie at its path. */
  #seenIn: number | undefined;

  constructor(fs: TranscriptFileSystem, descriptor: number, path: string, repair: TailRepair) {
    this.#fs = fs;
    this.#descriptor = descriptor;
    this.#path = path;
    this.repair = repair;
    this.#file = statusAt(fs, path);
    this.sizeAtOpen = this.#size = this.#file.size;
  }

  append(line: string, isSynced: boolean): void {
    const hasForeignEnd = this.#lookAgain();
    if (this.#isTorn) this.#restore();
    // A line feed of its own makes the torn piece one unreadable line, which readers skip.
    const text = this.#isTorn || hasForeignEnd ? `\n${line}` : line;
    // UTF-8 takes at most three bytes for a UTF-16 unit.
    const bytes = text.length * 3 < scratch.length ? scratch : Buffer.allocUnsafe(Buffer.byteLength(text) + 1);
    const end = bytes.write(text);
    bytes[end] = lineFeed;
    try {
      writeAll(this.#fs, this.#descriptor, bytes, end + 1);
      if (isSynced) this.#fs.sync(this.#descriptor);
      this.#size = this.#isTorn ? this.#fs.status(this.#descriptor).size : this.#size + end + 1;
      this.#isTorn = false;
    } catch (error) {
      // Also a line that could not be synced: whoever wrote it goes on as if it were not there.
      this.#restore();
      throw error;
    }
  }

  /**
   * What is written to a file that was moved or removed is lost, and nothing says so. Of one that was cut, or added to, what
   * comes keeps a line of its own. Answers whether that was so. Lines that follow each other at once are looked for once.
   */
  #lookAgain(): boolean {
    const turn = this.#fs.turn?.();
    if (turn !== undefined && turn === this.#seenIn) return false;
    const { device, inode, size } = statusAt(this.#fs, this.#path);
    if (inode !== this.#file.inode || device !== this.#file.device) throw gone();
    this.#seenIn = turn;
    if (this.#isTorn || size === this.#size) return false;
    this.#size = size;
    return size > 0;
  }

  #restore(): void {
    try {
      this.#fs.truncate(this.#descriptor, this.#size);
      this.#isTorn = false;
    } catch {
      this.#isTorn = true;
    }
  }

  close(): void {
    this.#fs.close(this.#descriptor);
  }
}
