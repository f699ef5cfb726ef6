/** A pipe that `--settings` names (`<(…)`, `/dev/stdin`): it can be read once, and settings are read often. */
import { statSync } from "node:fs";
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

/** The flag as it was given, or what the pipe holds that it names. Throws `UsageError`. */
export function settingsFlag(flag: string, { env, cwd }: Around): string {
  if (isJsonFlag(flag)) return flag;
  const path = flagFile(flag, cwd, homeFolder(env));
  if (!isPipe(path)) return flag;
  const text = read(path)?.replace(/^(?:\ufeff|\s|\/\/.*|\/\*[^]*?\*\/)+/u, "");
  if (text === undefined) throw new UsageError(`--settings: ${path} is larger than 2 MiB, which settings are not.`);
  if (!isJsonFlag(text)) throw new UsageError(`--settings: ${path} should hold one JSON object, such as {}.`);
  return text;
}

/** The same for what else takes the flag. */
export function withSettingsRead<Asked extends { settings?: string }>(asked: Asked, around: Around): Asked {
  return asked.settings === undefined ? asked : { ...asked, settings: settingsFlag(asked.settings, around) };
}

function isPipe(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && !found.isFile() && !found.isDirectory();
  } catch {
    // Who reads the settings says what is wrong with it.
    return false;
  }
}

function read(path: string): string | undefined {
  try {
    return readNamedFile(path, mostBytes);
  } catch (error) {
    throw new UsageError(`--settings: ${path} cannot be read: ${reasonOf(error)}.`);
  }
}
