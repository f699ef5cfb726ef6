/** A permission update as hooks and clients send it. */
import { isRecord } from "../lib/is-record.ts";
import { withoutNulls } from "../lib/without-nulls.ts";
import { isPermissionUpdate, type PermissionUpdate } from "../protocol/permission.ts";

/** Undefined: it is none. Python's SDK writes null for the content of a rule that has none. */
export function permissionUpdateIn(given: unknown): PermissionUpdate | undefined {
  const update = isRecord(given) ? withoutNulls(given) : given;
  const plain =
    isRecord(update) && Array.isArray(update["rules"])
      ? { ...update, rules: update["rules"].map((rule: unknown) => (isRecord(rule) ? withoutNulls(rule) : rule)) }
      : update;
  return isPermissionUpdate(plain) ? plain : undefined;
}
