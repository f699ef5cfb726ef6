/** The free space of a disk. */
import { statfsSync } from "node:fs";

/** Free bytes for this user on the disk that holds `folder`. Undefined if unknown. */
export function freeBytesOf(folder: string): number | undefined {
  try {
    const { bsize, bavail, blocks } = statfsSync(folder);
    return blocks === 0 ? undefined : bavail * bsize;
  } catch {
    return undefined;
  }
}
