/** Reads a pipe that `--settings` or `--mcp-config` names (`<(…)`, `/dev/stdin`) once, since a session reads the flag's text often. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { homeFolder } from "../lib/home-folder.ts";
import { readNamedFile } from "../lib/named-file.ts";
import { reasonOf } from "../lib/system-reason.ts";
import { UsageError } from "../lib/usage-error.ts";
import { flagFile, isJsonFlag } from "../settings/flag.ts";

interface Around {
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  cwd: string;
}

const mostBytes = 2 * 1024 * 1024;

/** Returns the text of the pipe that the flag names, or else the flag as it was given. Throws `UsageError`. */
export function settingsFlag(flag: string, { env, cwd }: Around): string {
  if (isJsonFlag(flag)) return flag;
  return pipedText("--settings", flagFile(flag, cwd, homeFolder(env)), ", which settings are not") ?? flag;
}

export function mcpConfigFlag(flag: string, { cwd }: Pick<Around, "cwd">): string {
  return isJsonFlag(flag) ? flag : (pipedText("--mcp-config", resolve(cwd, flag)) ?? flag);
}

/** The same for other commands that take `--settings`. */
export function withSettingsRead<Asked extends { settings?: string }>(asked: Asked, around: Around): Asked {
  return asked.settings === undefined ? asked : { ...asked, settings: settingsFlag(asked.settings, around) };
}

/** Returns undefined if `path` is not a pipe. */
function pipedText(flag: string, path: string, tooMuch = ""): string | undefined {
  if (!isPipe(path)) return undefined;
  const text = read(flag, path)?.replace(/^(?:\ufeff|\s|\/\/.*|\/\*[^]*?\*\/)+/u, "");
  if (text === undefined) throw new UsageError(`${flag}: ${path} is larger than 2 MiB${tooMuch}.`);
  if (!text.startsWith("{")) throw new UsageError(`${flag}: ${path} should hold one JSON object, such as {}.`);
  return text;
}

function isPipe(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && !found.isFile() && !found.isDirectory();
  } catch {
    // The code that reads the file later reports what is wrong with it.
    return false;
  }
}

function read(flag: string, path: string): string | undefined {
  try {
    return readNamedFile(path, mostBytes);
  } catch (error) {
    throw new UsageError(`${flag}: ${path} cannot be read: ${reasonOf(error)}.`);
  }
}
