/**
 * A text as a file without a name, for a child's standard input. Node gives a child sockets for pipes, and on Linux these cannot be opened
 * once more: whatever reads `/dev/stdin` by its name would find nothing.
 */
import { closeSync, constants, openSync, writeSync } from "node:fs";

/** What `O_TMPFILE` adds to `O_DIRECTORY`; Node does not name it. */
const withoutName = 0o20_000_000;
/** In memory where there is such a place. */
const folders = ["/dev/shm", "/tmp"];

/** A descriptor to read it from its beginning; undefined where the system has no such files. The caller closes it. */
export function anonymousFile(text: string, platform: NodeJS.Platform = process.platform): number | undefined {
  if (platform !== "linux") return undefined;
  for (const folder of folders) {
    try {
      return written(folder, Buffer.from(text));
    } catch {
      // No such folder, no room, a file system that cannot: the next one.
      continue;
    }
  }
  return undefined;
}

function written(folder: string, bytes: Buffer): number {
  const file = openSync(folder, constants.O_DIRECTORY | withoutName | constants.O_RDWR, 0o600);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    return openSync(`/proc/self/fd/${file}`, constants.O_RDONLY);
  } finally {
    closeSync(file);
  }
}
