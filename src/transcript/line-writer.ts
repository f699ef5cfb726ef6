/** Whole lines onto the end of one file. What a failed write left behind is taken back before anything else is written. */
import { TranscriptError } from "./error.ts";
import { openRegular, writeSome } from "./file-io.ts";
import type { FileStatus, TranscriptFileSystem } from "./file-system.ts";
import { lineBytes, type Line } from "./line-bytes.ts";
import { repairTail, type TailRepair } from "./tail.ts";

export interface LineWriter {
  /** What was found and mended at the end of the file when it was opened. */
  readonly repair: TailRepair;
  /** Bytes in the file when it was opened, after the repair. */
  readonly sizeAtOpen: number;
  /**
   * Appends it and a line feed. Throws the system's error, or `not_found` where another file or none is at the path now;
   * the file then still holds whole lines only.
   */
  append(line: Line, isSynced: boolean): void;
  close(): void;
}

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
  /** Where the next line begins, as far as is known. */
  #size: number;
  /** Bytes behind that of lines that could be neither written whole nor taken back, as far as the system said. Undefined: there are none. */
  #torn: number | undefined;
  /** When the file was seen to lie at its path. */
  #seenIn: number | undefined;

  constructor(fs: TranscriptFileSystem, descriptor: number, path: string, repair: TailRepair) {
    this.#fs = fs;
    this.#descriptor = descriptor;
    this.#path = path;
    this.repair = repair;
    this.#seenIn = fs.turn?.();
    this.#file = statusAt(fs, path);
    this.sizeAtOpen = this.#size = this.#file.size;
  }

  append(line: Line, isSynced: boolean): void {
    const hasForeignEnd = this.#lookAgain();
    this.#takeBack();
    // A line feed of its own makes the torn piece one unreadable line, which readers skip.
    const { bytes, length } = lineBytes(line, this.#torn !== undefined || hasForeignEnd);
    let written = 0;
    try {
      while (written < length) written += writeSome(this.#fs, this.#descriptor, bytes, written, length);
      if (isSynced) this.#fs.sync(this.#descriptor);
      this.#size = this.#torn === undefined ? this.#size + length : this.#fs.status(this.#descriptor).size;
      this.#torn = undefined;
    } catch (error) {
      // Also a line that could not be synced: whoever wrote it goes on as if it were not there.
      this.#torn = (this.#torn ?? 0) + written;
      this.#takeBack();
      throw error;
    }
  }

  /**
   * What is written to a file that was moved or removed is lost, and nothing says so. Of one that was cut, or added to, what
   * comes keeps a line of its own. Answers whether that was so. To look takes as long as to write, and of the lines of one turn
   * of the event loop it is the first that finds what others did while this process waited.
   */
  #lookAgain(): boolean {
    const turn = this.#fs.turn?.();
    if (turn !== undefined && turn === this.#seenIn) return false;
    const { device, inode, size } = statusAt(this.#fs, this.#path);
    if (inode !== this.#file.inode || device !== this.#file.device) throw gone();
    this.#seenIn = turn;
    if (this.#torn !== undefined || size === this.#size) return false;
    this.#size = size;
    return size > 0;
  }

  /** Not where others added to the file or cut it since it was looked at: theirs would go too, or zeros come in its place. */
  #takeBack(): void {
    if (this.#torn === undefined) return;
    try {
      const { size } = this.#fs.status(this.#descriptor);
      if (size !== this.#size && size !== this.#size + this.#torn) return;
      if (size !== this.#size) this.#fs.truncate(this.#descriptor, this.#size);
      this.#torn = undefined;
    } catch {
      // It is tried again before the next line.
      return;
    }
  }

  close(): void {
    this.#fs.close(this.#descriptor);
  }
}
