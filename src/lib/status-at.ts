/** What somebody named, looked at. */
import { statSync, type Stats } from "node:fs";
import { reasonOf } from "./system-reason.ts";
import { UsageError } from "./usage-error.ts";

/** Undefined where nothing is there. Throws `UsageError` where the system does not let it be looked at. */
export function statusAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new UsageError(`${path}: ${reasonOf(error)}.`, { cause: error });
  }
}
