/** Collects a command's output: short output in memory, long output in a file with its two ends in memory; both are limited. */
import { errorText } from "../../lib/error-text.ts";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { HeadTail } from "../../lib/head-tail.ts";
import { ProgressBarFolder } from "./progress-bar-folder.ts";

export interface OutputLimits {
  /** Bytes kept in memory before a file is created. */
  memory: number;
  /** The most bytes the file may hold. */
  file: number;
  /** Bytes after which the command is ended. */
  total: number;
}

export const outputLimits: OutputLimits = { memory: 30_000, file: 64 << 20, total: 5e9 };

export type OutputStream = "stdout" | "stderr";

/** The bytes of one stream: all of them in `head`, or both ends and the number of bytes missing between them. Progress bars may be folded. */
export interface StreamOutput {
  head: Buffer;
  dropped: number;
  tail: Buffer;
}

const recentBytes = 2048;

export class OutputCollector {
  readonly #limits: OutputLimits;
  readonly #createPath: () => string;
  #pending: { stream: OutputStream; chunk: Buffer }[] = [];
  #ends: Record<OutputStream, HeadTail> | null = null;
  readonly #folders = { stdout: new ProgressBarFolder(), stderr: new ProgressBarFolder() };
  #recent: Buffer = Buffer.alloc(0);
  #descriptor: number | null = null;
  #path: string | null = null;
  #fileBytes = 0;
  #notInFile: HeadTail | null = null;
  #fileError: string | null = null;
  /** Somebody reads the file while the command runs. */
  #isFileWanted = false;
  #isOver = false;
  #total = 0;
  /** Called once, when `limits.total` is exceeded. */
  onExcess: (() => void) | null = null;

  /** `createPath` returns the path of the file once one is needed; it throws if there can be none. */
  constructor(limits: OutputLimits, createPath: () => string) {
    this.#limits = limits;
    this.#createPath = createPath;
  }

  push(stream: OutputStream, chunk: Buffer): void {
    this.#total += chunk.length;
    this.#recent = lastBytes(this.#recent, chunk);
    if (this.#ends === null) {
      this.#pending.push({ stream, chunk });
      this.#writeToFile(chunk);
      if (this.#total > this.#limits.memory) this.#switchToFile();
    } else {
      this.#ends[stream].push(this.#folders[stream].push(chunk));
      this.#writeToFile(chunk);
    }
    if (this.#total <= this.#limits.total || this.onExcess === null) return;
    const notify = this.onExcess;
    this.onExcess = null;
    notify();
  }

  #switchToFile(): void {
    this.#createFile();
    const half = Math.ceil(this.#limits.memory / 2);
    this.#ends = { stdout: new HeadTail(half, half), stderr: new HeadTail(half, half) };
    for (const { stream, chunk } of this.#pending) this.#ends[stream].push(this.#folders[stream].push(chunk));
    this.#pending = [];
  }

  /** Writes everything so far, and all that follows, to a file. Calling it again does nothing. */
  beginFile(): void {
    this.#isFileWanted = true;
    this.#createFile();
  }

  #createFile(): void {
    if (this.#path !== null || this.#fileError !== null) return;
    try {
      const path = this.#createPath();
      this.#descriptor = openSync(path, "wx", 0o600);
      this.#path = path;
    } catch (error) {
      this.#fileError = errorText(error);
      return;
    }
    for (const { chunk } of this.#pending) this.#writeToFile(chunk);
    if (this.#isOver) this.#closeFile();
  }

  #writeToFile(chunk: Buffer): void {
    if (this.#descriptor === null) return;
    const room = this.#limits.file - this.#fileBytes;
    const part = chunk.subarray(0, Math.max(0, room));
    try {
      for (let at = 0; at < part.length;) at += writeSync(this.#descriptor, part, at);
      this.#fileBytes += part.length;
    } catch (error) {
      this.#fileError = errorText(error);
      this.#closeFile();
      if (!this.#isFileWanted) this.#removeFile();
      return;
    }
    if (part.length === chunk.length) return;
    this.#notInFile ??= new HeadTail(0, this.#limits.memory);
    this.#notInFile.push(chunk.subarray(part.length));
  }

  /** A part that nobody will read must not fill the disk: the session writes there too. */
  #removeFile(): void {
    if (this.#path === null) return;
    try {
      rmSync(this.#path, { force: true });
      this.#path = null;
    } catch (error) {
      // A file system that copies what it changes may have no room even for that.
      this.#fileError += `; nor could its part be removed: ${errorText(error)}`;
    }
  }

  #closeFile(): void {
    if (this.#descriptor === null) return;
    closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  /** Call this when no more output will come. The file, if any, ends with the end of the output even if its middle is missing. */
  close(): void {
    this.#isOver = true;
    const missing = this.#notInFile;
    if (missing !== null && this.#descriptor !== null) {
      this.#notInFile = null;
      const note = `\n[… ${missing.dropped} bytes are not kept …]\n`;
      try {
        writeSync(this.#descriptor, Buffer.concat([Buffer.from(note), missing.tail()]));
      } catch (error) {
        this.#fileError = errorText(error);
      }
    }
    this.#closeFile();
  }

  /** The number of bytes printed so far. */
  get total(): number {
    return this.#total;
  }

  get path(): string | null {
    return this.#path;
  }

  /** The middle of the output is missing from the file. */
  get isFileCut(): boolean {
    return this.#total > this.#limits.file;
  }

  /** Why the file is missing or incomplete. */
  get fileError(): string | null {
    return this.#fileError;
  }

  /** The last printed bytes, at most 2 KB, of both streams interleaved. */
  get recent(): Buffer {
    return this.#recent;
  }

  /** `isFolded`: progress bars are folded even if all of the output is in memory. */
  stream(stream: OutputStream, isFolded = false): StreamOutput {
    if (this.#ends !== null) {
      const ends = this.#ends[stream];
      const { dropped } = ends;
      const head = ends.head();
      const tail = Buffer.concat([ends.tail(), this.#folders[stream].held]);
      return dropped === 0
        ? { head: Buffer.concat([head, tail]), dropped, tail: Buffer.alloc(0) }
        : { head, dropped, tail };
    }
    const bytes = Buffer.concat(this.#pending.filter((entry) => entry.stream === stream).map(({ chunk }) => chunk));
    const folder = new ProgressBarFolder();
    const head = isFolded ? Buffer.concat([folder.push(bytes), folder.held]) : bytes;
    return { head, dropped: 0, tail: Buffer.alloc(0) };
  }
}

function lastBytes(before: Buffer, chunk: Buffer): Buffer {
  if (chunk.length >= recentBytes) return chunk.subarray(chunk.length - recentBytes);
  const kept = before.subarray(Math.max(0, before.length + chunk.length - recentBytes));
  return kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
}
