/**
 * Provides a text as a file without a name, for a child's standard input. Node.js gives children sockets instead of pipes, and on Linux a
 * socket cannot be opened again: a program that reads `/dev/stdin` by name would find nothing.
 */
import { closeSync, constants, openSync, writeSync } from "node:fs";

/** The flag that `O_TMPFILE` adds to `O_DIRECTORY`; Node.js has no name for it. */
const temporaryFileFlag = 0o20_000_000;
/** In memory if there is such a folder. */
const folders = ["/dev/shm", "/tmp"];

/** Returns a descriptor at the beginning of the text; undefined if the system has no such files. The caller closes it. */
export function openAnonymousFile(text: string, platform: NodeJS.Platform = process.platform): number | undefined {
  if (platform !== "linux") return undefined;
  for (const folder of folders) {
    try {
      return writeUnnamedFile(folder, Buffer.from(text));
    } catch {
      // The folder is missing or full, or its file system lacks such files: try the next.
      continue;
    }
  }
  return undefined;
}

function writeUnnamedFile(folder: string, bytes: Buffer): number {
  const file = openSync(folder, constants.O_DIRECTORY | temporaryFileFlag | constants.O_RDWR, 0o600);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    return openSync(`/proc/self/fd/${file}`, constants.O_RDONLY);
  } finally {
    closeSync(file);
  }
}
