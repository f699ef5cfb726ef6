/** Reads a pipe that `--settings` or `--mcp-config` names (`<(…)`, `/dev/stdin`) once, since a session reads the flag's text often. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Environment } from "../lib/environment.ts";
import { homeFolder } from "../lib/home-folder.ts";
import { readNamedFile } from "../lib/named-file.ts";
import { reasonOf } from "../lib/system-reason.ts";
import { UsageError } from "../lib/usage-error.ts";
import { flagFile, isJsonFlag } from "../settings/flag.ts";

interface FlagContext {
  env: Environment;
  /** Absolute. */
  cwd: string;
}

const maxBytes = 2 * 1024 * 1024;

/** Returns the text of the pipe that the flag names, or else the flag as it was given. Throws `UsageError`. */
export function resolveSettingsFlag(flag: string, { env, cwd }: FlagContext): string {
  if (isJsonFlag(flag)) return flag;
  return pipedText("--settings", flagFile(flag, cwd, homeFolder(env)), ", which settings are not") ?? flag;
}

export function resolveMcpConfigFlag(flag: string, { cwd }: Pick<FlagContext, "cwd">): string {
  return isJsonFlag(flag) ? flag : (pipedText("--mcp-config", resolve(cwd, flag)) ?? flag);
}

/** The same for other commands that take `--settings`. */
export function withResolvedSettings<Args extends { settings?: string }>(args: Args, context: FlagContext): Args {
  return args.settings === undefined ? args : { ...args, settings: resolveSettingsFlag(args.settings, context) };
}

/** Returns undefined if `path` is not a pipe. */
function pipedText(flag: string, path: string, tooMuch = ""): string | undefined {
  if (!isPipe(path)) return undefined;
  const text = readPipe(flag, path)?.replace(/^(?:\ufeff|\s|\/\/.*|\/\*[^]*?\*\/)+/u, "");
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

function readPipe(flag: string, path: string): string | undefined {
  try {
    return readNamedFile(path, maxBytes);
  } catch (error) {
    throw new UsageError(`${flag}: ${path} cannot be read: ${reasonOf(error)}.`);
  }
}
