/** Settings as a session's options have them read: from where, under whose trust, and what is told of them. */
import { errorText } from "../../lib/error-text.ts";
import { isAbsolute, resolve } from "node:path";
import { currentFolder } from "../../lib/current-folder.ts";
import { homeFolder } from "../../lib/home-folder.ts";
import { isObject, parseJson, type JsonObject } from "../../lib/json.ts";
import { statusAt } from "../../lib/status-at.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { loadSettings, type LoadedSettings } from "../../settings/load.ts";
import { pawlHome } from "../../settings/paths.ts";
import { isTrusted, readTrust } from "../../settings/trust.ts";
import { SettingsWatch, type WatchOptions } from "../../settings/watch.ts";
import { jsonText } from "../options/check-arguments.ts";
import type { EngineOptions } from "../options/options.ts";
import { besideSettings, watchedFiles, type Found } from "./found.ts";

export interface SettingsPlaces {
  /** Absolute, and there. */
  cwd: string;
  /** Absolute, and so is the next one. */
  home: string;
  /** Where sessions are kept, if not in the user's own folder. */
  sessionsHome?: string;
  /** As the process, or the host, gives it. */
  env: Readonly<Record<string, string | undefined>>;
  notice: (text: string) => void;
}

/** Throws `UsageError` where the folder is gone. */
export function settingsPlaces(options: EngineOptions): SettingsPlaces {
  const env = options.env ?? process.env;
  return {
    cwd: workingFolder(options.cwd),
    home: options.home === undefined ? homeFolder(env) : absolute(options.home),
    ...(options.sessionsHome === undefined ? {} : { sessionsHome: absolute(options.sessionsHome) }),
    env,
    notice: options.onNotice ?? ((): void => {}),
  };
}

/** A relative one is resolved against the current folder, which the process may leave while the session works. */
function absolute(path: string): string {
  return isAbsolute(path) ? resolve(path) : resolve(currentFolder(), path);
}

function workingFolder(cwd = ""): string {
  const folder = absolute(cwd);
  if (statusAt(folder)?.isDirectory() !== true) throw new UsageError(`There is no folder ${folder}.`);
  return folder;
}

/** With its problems, whatever they are. */
export function loadFor(
  options: EngineOptions,
  places: SettingsPlaces,
  applied?: Readonly<JsonObject>,
): LoadedSettings {
  const { env, home, notice } = places;
  const trusts = options.trust === true ? (): boolean => true : trustedBefore(pawlHome(env, home), notice);
  return loadSettings({ ...settingsOptions(options, places), trusts, applied });
}

/** With what lies beside the settings, as it is now. */
export function settingsOptions(options: EngineOptions, places: SettingsPlaces) {
  return { ...loadOptions(options, places), further: besideSettings(soughtIn(options, places)) };
}

function loadOptions(options: EngineOptions, { env, home, cwd }: SettingsPlaces) {
  const { settings: flag, settingSources: sources, managedSettings } = options;
  // As text would be read: no key is special.
  const parsed = managedSettings === undefined ? undefined : parseJson(jsonText("managedSettings", managedSettings));
  if (parsed !== undefined && !(parsed.ok && isObject(parsed.value)))
    throw new UsageError("managedSettings is an object of settings.");
  return { env, home, cwd, flag, sources, managed: parsed?.value as JsonObject | undefined };
}

/** Where a session's start looks. */
export function soughtIn({ settings, settingSources }: EngineOptions, { cwd, home, env }: SettingsPlaces) {
  return { settings, settingSources, cwd, home, env };
}

/** Throws `UsageError` for what nothing may be started under; tells the rest. */
export function readSettings(options: EngineOptions, places: SettingsPlaces, found: Found): SettingsWatch {
  const known = trustedBefore(pawlHome(places.env, places.home), places.notice);
  // What lies beside the settings is taken as it was seen then, and so it is trusted: the session goes on with that.
  let { further } = found;
  const sought = soughtIn(options, places);
  const start: { isOver: boolean; hash?: string } = { isOver: false };
  // `--trust` is for what was there when it was said.
  const vouched = new Set<string>();
  const own = (hash: string): boolean =>
    vouched.has(hash) || (options.trust === true && (!start.isOver || start.hash === hash));
  const trusts = (folder: string, hash: string): boolean => own(hash) || known(folder, hash);
  const load: WatchOptions["load"] = (reader, applied) => {
    const common = { ...loadOptions(options, places), reader, applied, trusts };
    const loaded = loadSettings({ ...common, further, files: start.isOver ? undefined : found.files });
    if (!start.isOver || loaded.project?.isTrusted !== false) return loaded;
    const now = besideSettings(sought);
    const again = loadSettings({ ...common, further: now });
    if (again.project?.isTrusted !== true) return loaded;
    further = now;
    return again;
  };
  const trust = { trusts: own, trust: (hash: string): void => void vouched.add(hash) };
  const watch = new SettingsWatch({ files: () => watchedFiles(sought), load, trust, first: found.sight });
  Object.assign(start, { isOver: true, hash: watch.loaded.project?.hash });
  for (const { level, text } of watch.loaded.problems) {
    if (level === "error") throw new UsageError(text);
    if (level === "notice") places.notice(text);
  }
  return watch;
}

/** By the user's list. */
export function trustedBefore(
  folder: string,
  notice: (text: string) => void,
): (project: string, hash: string) => boolean {
  return (project, hash) => {
    try {
      return isTrusted(readTrust(folder), project, hash);
    } catch (error) {
      notice(errorText(error));
      return false;
    }
  };
}
