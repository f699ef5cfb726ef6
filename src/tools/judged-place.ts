/** Where a call's path must lead: to the place it led to when the call was allowed. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { MovedError } from "../lib/held-folder.ts";
import type { ToolContext } from "../protocol/tool.ts";

/** The place the call was judged for. Undefined if nobody judged it; null if the place was unknown or another path was judged. */
export function judgedPlace(path: string, { judged }: Pick<ToolContext, "judged">): string | null | undefined {
  return judged === undefined ? undefined : (judged.find((each) => each.path === resolve(path))?.real ?? null);
}

/** For paths that are searched, not opened. Throws a `MovedError` if the path leads elsewhere now, and file system errors. */
export function assertUnmoved(path: string, context: Pick<ToolContext, "judged">): void {
  const place = judgedPlace(path, context);
  if (place !== undefined && realpathSync.native(path) !== place) throw new MovedError(path);
}
