/** The shell that the user names for commands. Rules read a command as bash does, so it has to be one that bash is a superset of, nearly. */
import { basename, delimiter, isAbsolute, join } from "node:path";
import { isProgram } from "../../lib/is-program.ts";
import type { Variables } from "../variables.ts";

export interface Shell {
  path: string;
  isBash: boolean;
  /** The user named it. */
  isChosen?: true;
}

const plainShells: ReadonlySet<string> = new Set(["sh", "dash", "ash"]);

/** Undefined where none is named. `why`: one clause. */
export function chosenShell(
  environment: Variables,
): { ok: true; shell: Shell } | { ok: false; why: string } | undefined {
  const path = environment["CLAUDE_CODE_SHELL"]?.trim() ?? "";
  if (path === "") return undefined;
  const name = basename(path);
  const isBash = name === "bash";
  if (!isAbsolute(path)) return { ok: false, why: "it is no absolute path" };
  if (!isBash && !plainShells.has(name)) return { ok: false, why: "commands run in bash, or in sh, dash or ash" };
  if (!isProgram(path)) return { ok: false, why: "there is no such program" };
  return { ok: true, shell: { path, isBash, isChosen: true } };
}

/** Those of macOS are of 2007. */
export function runsInOldBash(environment: Variables, platform: NodeJS.Platform): boolean {
  const chosen = chosenShell(environment);
  const path = chosen?.ok === true ? chosen.shell.path : "/bin/bash";
  return platform === "darwin" && (path === "/bin/bash" || path === "/bin/sh");
}

/** Without bash on the machine, or where the user wants it so, it is sh that runs commands. */
export function runsInBash(environment: Variables): boolean {
  const chosen = chosenShell(environment);
  if (chosen?.ok === true) return chosen.shell.isBash;
  const folders = ["/bin", "/usr/bin", ...(environment["PATH"] ?? "").split(delimiter)];
  return folders.some((folder) => isAbsolute(folder) && isProgram(join(folder, "bash")));
}
