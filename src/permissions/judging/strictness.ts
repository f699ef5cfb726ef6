/** Orders the modes by how little they allow. */
import type { PermissionMode } from "../../protocol/permission.ts";

/** Strictest first. */
const strictness: readonly PermissionMode[] = [
  "plan",
  "dontAsk",
  "default",
  "acceptEdits",
  "auto",
  "bypassPermissions",
];

/** Whether edits within the working directories need no question. */
export function acceptsEdits(mode: PermissionMode): boolean {
  return mode === "acceptEdits" || mode === "auto";
}

export function stricterMode(one: PermissionMode, other: PermissionMode | undefined): PermissionMode {
  if (other === undefined) return one;
  return strictness.indexOf(one) <= strictness.indexOf(other) ? one : other;
}
