/** Where a call's path has to lead: where it led when the call was allowed. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { MovedError } from "../lib/held-place.ts";
import type { ToolContext } from "../protocol/tool.ts";

/** Undefined where nobody judged the call; null where it could not be told, or another path was judged. */
export function judgedPlace(path: string, { judged }: Pick<ToolContext, "judged">): string | null | undefined {
  return judged === undefined ? undefined : (judged.find((each) => each.path === resolve(path))?.real ?? null);
}

/** For what is looked through, not opened. Throws a `MovedError`, and what the file system throws. */
export function assertUnmoved(path: string, context: Pick<ToolContext, "judged">): void {
  const place = judgedPlace(path, context);
  if (place !== undefined && realpathSync.native(path) !== place) throw new MovedError(path);
}
