/** How much a disk still takes. */
import { statfsSync } from "node:fs";

/** Of the disk that `folder` is on, for whom this process runs as. Undefined where it does not say. */
export function freeBytesOf(folder: string): number | undefined {
  try {
    const { bsize, bavail, blocks } = statfsSync(folder);
    return blocks === 0 ? undefined : bavail * bsize;
  } catch {
    return undefined;
  }
}
