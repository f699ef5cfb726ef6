/** The shell the user names for commands. Rules read commands as bash does, so its syntax must be (nearly) a subset of bash's. */
import { basename, delimiter, isAbsolute, join } from "node:path";
import { isProgram } from "../../lib/is-program.ts";
import type { Environment } from "../../lib/environment.ts";

export interface Shell {
  path: string;
  isBash: boolean;
  /** The user named this shell. */
  isChosen?: true;
}

const plainShells: ReadonlySet<string> = new Set(["sh", "dash", "ash"]);

/** Undefined if the user names no shell. `why` is one clause. */
export function configuredShell(
  environment: Environment,
): { ok: true; shell: Shell } | { ok: false; why: string } | undefined {
  const path = environment["CLAUDE_CODE_SHELL"]?.trim() ?? "";
  if (path === "") return undefined;
  const name = basename(path);
  const isBash = name === "bash";
  if (!isAbsolute(path)) return { ok: false, why: "it is not an absolute path" };
  if (!isBash && !plainShells.has(name)) return { ok: false, why: "commands run in bash, or in sh, dash or ash" };
  if (!isProgram(path)) return { ok: false, why: "there is no such program" };
  return { ok: true, shell: { path, isBash, isChosen: true } };
}

/** The shells that come with macOS are from 2007. */
export function runsInOldBash(environment: Environment, platform: NodeJS.Platform): boolean {
  const chosen = configuredShell(environment);
  const path = chosen?.ok === true ? chosen.shell.path : "/bin/bash";
  return platform === "darwin" && (path === "/bin/bash" || path === "/bin/sh");
}

/** False if the machine has no bash or the user chose sh: then sh runs commands. */
export function runsInBash(environment: Environment): boolean {
  const chosen = configuredShell(environment);
  if (chosen?.ok === true) return chosen.shell.isBash;
  const folders = ["/bin", "/usr/bin", ...(environment["PATH"] ?? "").split(delimiter)];
  return folders.some((folder) => isAbsolute(folder) && isProgram(join(folder, "bash")));
}
