/** Appends complete lines to one file. What a failed write left behind is removed before anything else is written. */
import { TranscriptError } from "./error.ts";
import { openRegular, readRange, writeSome } from "./file-io.ts";
import type { FileStatus, TranscriptFileSystem } from "./file-system.ts";
import { lineBytes, type UnwrittenLine } from "./line-bytes.ts";
import { newestMarks } from "./marks.ts";
import type { Marks } from "./summary.ts";
import { repairTail, type TailRepair } from "./tail.ts";

export interface LineWriter {
  /** What was repaired at the end of the file when it was opened. */
  readonly repair: TailRepair;
  /** Size of the file when it was opened, after the repair. */
  readonly sizeAtOpen: number;
  /**
   * Appends the line and a line feed. Throws the system's error, or `not_found` if the file at the path is missing or a different one; the
   * file then still holds complete lines only.
   */
  append(line: UnwrittenLine, isSynced: boolean): void;
  /** The newest marks in the file, if others have appended to it since it was read; otherwise none. */
  marksByOthers(): Marks;
  /** At most so many bytes from the end of the file. */
  tail(bytes: number): Buffer;
  close(): void;
}

/**
 * Opens or creates the file. Throws `not_regular` for anything but a plain file, which may have been planted. `readTo`: the size up to which
 * the caller knows what the file says; absent: completely.
 */
export function openLineWriter(fs: TranscriptFileSystem, path: string, readTo?: number): LineWriter {
  const descriptor = openRegular(fs, path, "append");
  try {
    if ((fs.status(descriptor).mode & 0o077) !== 0) fs.setMode(descriptor, 0o600);
    return new FileLineWriter(fs, descriptor, { path, readTo, repair: repairTail(fs, descriptor, path) });
  } catch (error) {
    fs.close(descriptor);
    throw error;
  }
}

function requireFileStatus(fs: TranscriptFileSystem, path: string): FileStatus {
  const status = fs.statusOf(path);
  if (status === undefined) throw fileGoneError();
  return status;
}

function fileGoneError(): TranscriptError {
  return new TranscriptError("not_found", "it was moved, removed or replaced since the session was opened");
}

class FileLineWriter implements LineWriter {
  readonly repair: TailRepair;
  readonly sizeAtOpen: number;
  readonly #fs: TranscriptFileSystem;
  readonly #descriptor: number;
  readonly #path: string;
  readonly #file: FileStatus;
  /** Offset of the next line, as far as known. */
  #size: number;
  /** Bytes after `#size` from failed writes that could not be removed, as far as the system reported. Undefined: none. */
  #tornBytes: number | undefined;
  #hasLinesByOthers: boolean;
  /** The event loop turn in which the file was last seen at its path. */
  #checkedInTurn: number | undefined;

  constructor(
    fs: TranscriptFileSystem,
    descriptor: number,
    { path, readTo = Infinity, repair }: { path: string; readTo: number | undefined; repair: TailRepair },
  ) {
    this.#fs = fs;
    this.#descriptor = descriptor;
    this.#path = path;
    this.repair = repair;
    this.#checkedInTurn = fs.turn?.();
    this.#file = requireFileStatus(fs, path);
    this.sizeAtOpen = this.#size = this.#file.size;
    this.#hasLinesByOthers = this.#size > readTo;
  }

  append(line: UnwrittenLine, isSynced: boolean): void {
    const hasForeignEnd = this.#checkFile();
    this.#removeTornBytes();
    // A line feed first turns the torn bytes into one unreadable line, which readers skip.
    const { bytes, length } = lineBytes(line, this.#tornBytes !== undefined || hasForeignEnd);
    let written = 0;
    try {
      while (written < length) written += writeSome(this.#fs, this.#descriptor, bytes, written, length);
      if (isSynced) this.#fs.sync(this.#descriptor);
      this.#size = this.#tornBytes === undefined ? this.#size + length : this.#fs.status(this.#descriptor).size;
      this.#tornBytes = undefined;
    } catch (error) {
      // Also for a line that could not be synced: the caller continues as if it had not been written.
      this.#tornBytes = (this.#tornBytes ?? 0) + written;
      this.#removeTornBytes();
      throw error;
    }
  }

  /**
   * Checks that the file is still the one at its path: otherwise writes would be lost silently. Returns whether others truncated it or
   * appended to it, so that the next line must be set off. A check takes as long as a write, and within one turn of the event loop only the
   * first line can find what others did while this process waited.
   */
  #checkFile(): boolean {
    const turn = this.#fs.turn?.();
    if (turn !== undefined && turn === this.#checkedInTurn) return false;
    const { device, inode, size } = requireFileStatus(this.#fs, this.#path);
    if (inode !== this.#file.inode || device !== this.#file.device) throw fileGoneError();
    this.#checkedInTurn = turn;
    if (this.#tornBytes !== undefined || size === this.#size) return false;
    if (size > this.#size) this.#hasLinesByOthers = true;
    this.#size = size;
    return size > 0;
  }

  /** Removes torn bytes, unless others appended or truncated meanwhile: that would delete their data, or leave zeros in its place. */
  #removeTornBytes(): void {
    if (this.#tornBytes === undefined) return;
    try {
      const { size } = this.#fs.status(this.#descriptor);
      if (size !== this.#size && size !== this.#size + this.#tornBytes) return;
      if (size !== this.#size) this.#fs.truncate(this.#descriptor, this.#size);
      this.#tornBytes = undefined;
    } catch {
      // Tried again before the next line.
      return;
    }
  }

  marksByOthers(): Marks {
    const { size } = this.#fs.status(this.#descriptor);
    if (!this.#hasLinesByOthers && (this.#tornBytes !== undefined || size <= this.#size)) return {};
    return newestMarks(this.#fs, this.#descriptor, size);
  }

  tail(bytes: number): Buffer {
    const { size } = this.#fs.status(this.#descriptor);
    return readRange(this.#fs, this.#descriptor, Math.max(0, size - bytes), size);
  }

  close(): void {
    this.#fs.close(this.#descriptor);
  }
}
