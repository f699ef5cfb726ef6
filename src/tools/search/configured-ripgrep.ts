/** The ripgrep program that the user names. */
import { isAbsolute } from "node:path";
import { isProgram } from "../../lib/is-program.ts";
import type { Environment } from "../../lib/environment.ts";

/** Undefined if the user names no program. `why` is one clause. */
export function configuredRipgrep(
  environment: Environment,
): { ok: true; path: string } | { ok: false; why: string } | undefined {
  const path = environment["PAWL_RG"]?.trim() ?? "";
  if (path === "") return undefined;
  if (!isAbsolute(path)) return { ok: false, why: "it is not an absolute path" };
  return isProgram(path) ? { ok: true, path } : { ok: false, why: "there is no such program" };
}
