/** The folder for files that last no longer than a session: the one that `CLAUDE_CODE_TMPDIR` names, or the system's. */
import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute } from "node:path";
import type { Environment } from "./environment.ts";
import { isFolder } from "./path-status.ts";

/** Undefined if the variable names no folder. `why` is one clause. */
export function configuredTemporaryFolder(
  env: Environment,
): { ok: true; path: string } | { ok: false; why: string } | undefined {
  const path = env["CLAUDE_CODE_TMPDIR"]?.trim() ?? "";
  if (path === "") return undefined;
  if (!isAbsolute(path)) return { ok: false, why: "it is not an absolute path" };
  if (!isFolder(path)) return { ok: false, why: "there is no such folder" };
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch {
    return { ok: false, why: "nothing can be written there" };
  }
  return { ok: true, path };
}

/** Absolute. */
export function temporaryFolder(env: Environment): string {
  const configuredFolder = configuredTemporaryFolder(env);
  return configuredFolder?.ok === true ? configuredFolder.path : tmpdir();
}
