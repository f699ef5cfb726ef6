/** Looks at a path that somebody named. */
import { statSync, type Stats } from "node:fs";
import { reasonOf } from "./system-reason.ts";
import { UsageError } from "./usage-error.ts";

/** Undefined if nothing is there. Throws `UsageError` if the system does not allow a look. */
export function statusAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new UsageError(`${path}: ${reasonOf(error)}.`, { cause: error });
  }
}
