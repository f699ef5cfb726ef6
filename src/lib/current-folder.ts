/** The folder this process stands in. */
import { hasCode } from "./error-text.ts";
import { statusAt } from "./status-at.ts";
import { reasonOf } from "./system-reason.ts";
import { UsageError } from "./usage-error.ts";

/** Absolute. Throws `UsageError` where there is none, or none that can be named. */
export function currentFolder(): string {
  let folder: string;
  try {
    folder = process.cwd();
  } catch (error) {
    if (hasCode(error, "ENOENT"))
      throw new UsageError("The current folder is gone: change to one that exists and call pawl again.");
    // ERANGE: Node asks the system for no more than 4096 bytes.
    const why = hasCode(error, "ERANGE") ? "its path is too long" : reasonOf(error);
    throw new UsageError(`The current folder cannot be worked in: ${why}. Change to another and call pawl again.`);
  }
  // What stands for bytes that are no UTF-8 names nothing, or something else.
  if (!folder.includes("\uFFFD") || statusAt(folder) !== undefined) return folder;
  throw new UsageError(
    `The current folder cannot be worked in: its path, ${folder}, is not UTF-8. Rename what is not, or change to another folder, and call pawl again.`,
  );
}
