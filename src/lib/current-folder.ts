/** The current working directory of this process. */
import { hasErrorCode } from "./error-text.ts";
import { statusAt } from "./status-at.ts";
import { reasonOf } from "./system-reason.ts";
import { UsageError } from "./usage-error.ts";

/** Absolute. Throws `UsageError` if there is no working directory, or if its path is unusable. */
export function currentFolder(): string {
  let folder: string;
  try {
    folder = process.cwd();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT"))
      throw new UsageError("The current folder is gone: change to one that exists and call pawl again.");
    // ERANGE: Node.js asks the system for at most 4096 bytes.
    const why = hasErrorCode(error, "ERANGE") ? "its path is too long" : reasonOf(error);
    throw new UsageError(`The current folder cannot be worked in: ${why}. Change to another and call pawl again.`);
  }
  // A path with replacement characters for bytes that are not UTF-8 leads nowhere, or somewhere else.
  if (!folder.includes("\uFFFD") || statusAt(folder) !== undefined) return folder;
  throw new UsageError(
    `The current folder cannot be worked in: its path, ${folder}, is not UTF-8. Rename that part of it, or change to another folder, and call pawl again.`,
  );
}
