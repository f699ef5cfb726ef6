/** Which mode allows less. */
import type { PermissionMode } from "../protocol/permission.ts";

/** From the strictest on. */
const strictness: readonly PermissionMode[] = ["plan", "dontAsk", "default", "acceptEdits", "bypassPermissions"];

export function stricterMode(one: PermissionMode, other: PermissionMode | undefined): PermissionMode {
  if (other === undefined) return one;
  return strictness.indexOf(one) <= strictness.indexOf(other) ? one : other;
}
