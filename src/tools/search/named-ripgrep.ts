/** The ripgrep that the user names. */
import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Variables } from "../variables.ts";

/** Undefined where none is named. `why`: one clause. */
export function namedRipgrep(
  environment: Variables,
): { ok: true; path: string } | { ok: false; why: string } | undefined {
  const path = environment["PAWL_RG"]?.trim() ?? "";
  if (path === "") return undefined;
  if (!isAbsolute(path)) return { ok: false, why: "it is no absolute path" };
  try {
    accessSync(path, constants.X_OK);
    if (statSync(path).isFile()) return { ok: true, path };
  } catch {
    // As for a folder of that name.
  }
  return { ok: false, why: "there is no such program" };
}
