/** The folder pawl was called in. */
import { UsageError } from "../lib/usage-error.ts";

/** Absolute. Throws `UsageError` where it has been removed meanwhile. */
export function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new UsageError("The current folder is gone: change to one that exists and call pawl again.");
  }
}
