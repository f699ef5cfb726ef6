/** Recognises the null device, from which nothing can be read. */
import { fstatSync, statSync } from "node:fs";
import { devNull } from "node:os";

/** `descriptor`: of an open file. False if this cannot be told, as on Windows, where devices have no numbers. */
export function isNullDevice(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isCharacterDevice() && stats.rdev !== 0 && stats.rdev === statSync(devNull).rdev;
  } catch {
    return false;
  }
}
