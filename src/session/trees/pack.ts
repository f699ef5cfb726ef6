/** Contents of files, stored one after another in one file: thousands of small files cost as much as a few large ones. */
import { hash as digest } from "node:crypto";
import { closeSync, constants, fdatasyncSync, openSync, rmSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { entriesOf, statusOf } from "../../lib/path-status.ts";
import { makeFolders } from "../../lib/make-folders.ts";
import { readBytes } from "../../lib/read-bytes.ts";
import type { FileEntry, Place } from "./entry.ts";

/** Smaller contents take longer to compress than to write. */
const worthwhileBytes = 4096;
const writeBytes = 1 << 20;
const packExtension = ".pack";

export function digestOf(bytes: Uint8Array): string {
  return digest("sha256", bytes, "hex");
}

/** Written by one session in one process, read by every session of the folder. */
export class PackWriter {
  readonly #folder: string;
  readonly #name: string;
  #descriptor: number | undefined;
  #end = 0;
  /** The offset up to which the content is needed. */
  #neededBytes = 0;
  #isMade = false;
  /** Not written yet. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;

  /** `name`: a new UUID that no other writer uses. */
  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
  }

  /** The content can be read after the next `finish`. Throws the system's error. */
  add(bytes: Uint8Array): Place {
    const packed = compress(bytes);
    const place = { pack: this.#name, at: this.#end + this.#waitingBytes, storedBytes: packed.length };
    this.#waiting.push(packed);
    this.#waitingBytes += packed.length;
    if (this.#waitingBytes >= writeBytes) this.#write();
    return place;
  }

  /** Writes everything kept so far to the file and, with `flush`, to the disk. Throws the system's error. */
  finish(flush: boolean): void {
    if (this.#waiting.length > 0) this.#write();
    if (this.#descriptor === undefined) return;
    if (flush) fdatasyncSync(this.#descriptor);
    this.#close();
  }

  /** Marks everything in the file as needed. */
  markNeeded(): void {
    this.#neededBytes = this.#end;
  }

  /** Gives back the space that nobody needs: on a full disk, everything else lacks it. */
  abandon(): void {
    const path = packPath(this.#folder, this.#name);
    try {
      this.#close();
      if (!this.#isMade) return;
      if (this.#neededBytes === 0) rmSync(path, { force: true });
      else truncateSync(path, this.#neededBytes);
    } catch {
      // The file stays until a sweep finds it.
    }
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** The next write overwrites what a failed write left. */
  #write(): void {
    const bytes = Buffer.concat(this.#waiting);
    this.#descriptor ??= this.#open();
    for (let written = 0; written < bytes.length;)
      written += writeSync(this.#descriptor, bytes, written, bytes.length - written, this.#end + written);
    this.#end += bytes.length;
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #open(): number {
    const path = packPath(this.#folder, this.#name);
    if (this.#isMade) return openSync(path, "r+");
    makeFolders(this.#folder, 0o700);
    const descriptor = openSync(path, "wx", 0o600);
    this.#isMade = true;
    return descriptor;
  }
}

export function packPath(folder: string, name: string): string {
  return join(folder, `${name}${packExtension}`);
}

/** The total size of all existing packs. */
export function packBytes(folder: string): number {
  const packs = entriesOf(folder).filter(({ name }) => name.endsWith(packExtension));
  return packs.reduce((sum, { name }) => sum + (statusOf(join(folder, name))?.size ?? 0), 0);
}

/** Returns undefined if the content is gone or damaged. */
export function contentOf(folder: string, { hash, size, place }: FileEntry): Buffer | undefined {
  if (place === undefined) return undefined;
  const stored = readPart(packPath(folder, place.pack), place);
  const bytes = stored === undefined ? undefined : expand(stored, size);
  return bytes?.length === size && digestOf(bytes) === hash ? bytes : undefined;
}

function readPart(path: string, { at, storedBytes }: Place): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    const bytes = readBytes(descriptor, at, storedBytes);
    return bytes.length === storedBytes ? bytes : undefined;
  } catch {
    // The caller reports the file whose content is gone.
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function compress(bytes: Uint8Array): Uint8Array {
  if (bytes.length < worthwhileBytes) return bytes;
  // Not loaded if nothing has changed.
  const zlib = process.getBuiltinModule("node:zlib");
  const packed = zlib.zstdCompressSync(bytes, { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } });
  return packed.length < bytes.length ? packed : bytes;
}

function expand(storedBytes: Buffer, size: number): Buffer | undefined {
  if (storedBytes.length >= size) return storedBytes;
  try {
    return process.getBuiltinModule("node:zlib").zstdDecompressSync(storedBytes, { maxOutputLength: size });
  } catch {
    return undefined;
  }
}
