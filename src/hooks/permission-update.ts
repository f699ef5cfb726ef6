/** Reads a permission update as hooks and clients send it. */
import { isRecord } from "../lib/is-record.ts";
import { withoutNulls } from "../lib/without-nulls.ts";
import { isPermissionUpdate, type PermissionUpdate } from "../protocol/permission.ts";

/** Returns the update, or undefined if it is invalid. The Python SDK writes null for the content of a rule without one. */
export function permissionUpdateIn(value: unknown): PermissionUpdate | undefined {
  const update = isRecord(value) ? withoutNulls(value) : value;
  const plain =
    isRecord(update) && Array.isArray(update["rules"])
      ? { ...update, rules: update["rules"].map((rule: unknown) => (isRecord(rule) ? withoutNulls(rule) : rule)) }
      : update;
  return isPermissionUpdate(plain) ? plain : undefined;
}
