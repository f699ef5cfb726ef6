/** Reads settings according to a session's options: their locations, the trust they have, and their notices. */
import { errorText } from "../../lib/error-text.ts";
import type { Environment } from "../../lib/environment.ts";
import { isAbsolute, resolve } from "node:path";
import { currentFolder } from "../../lib/current-folder.ts";
import { homeFolder } from "../../lib/home-folder.ts";
import { isObject, parseJson, type JsonObject } from "../../lib/json.ts";
import { statusAt } from "../../lib/status-at.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { loadSettings, type LoadedSettings } from "../../settings/load.ts";
import { pawlHome } from "../../settings/paths.ts";
import { isTrusted, readTrust } from "../../settings/trust.ts";
import { SettingsWatch, type WatchOptions } from "../../settings/settings-watch.ts";
import { jsonText } from "../options/check-arguments.ts";
import type { EngineOptions } from "../options/options.ts";
import { currentEvidence, watchedFiles, type FoundFiles } from "./found-files.ts";

export interface SettingsPlaces {
  /** Absolute path of an existing folder. */
  cwd: string;
  /** Absolute, like `sessionsHome`. */
  home: string;
  /** Where sessions are kept, if not in the user's own folder. */
  sessionsHome?: string;
  /** The environment as given by the process or the host. */
  env: Environment;
  notice: (text: string) => void;
}

/** Throws `UsageError` if the folder does not exist. */
export function settingsPlaces(options: EngineOptions): SettingsPlaces {
  const env = options.env ?? process.env;
  return {
    cwd: workingFolder(options.cwd),
    home: options.home === undefined ? homeFolder(env) : toAbsolute(options.home),
    ...(options.sessionsHome === undefined ? {} : { sessionsHome: toAbsolute(options.sessionsHome) }),
    env,
    notice: options.onNotice ?? ((): void => {}),
  };
}

/** Resolves a relative path against the current folder now, since the process may leave it while the session works. */
function toAbsolute(path: string): string {
  return isAbsolute(path) ? resolve(path) : resolve(currentFolder(), path);
}

function workingFolder(cwd = ""): string {
  const folder = toAbsolute(cwd);
  if (statusAt(folder)?.isDirectory() !== true) throw new UsageError(`There is no folder ${folder}.`);
  return folder;
}

/** Loads the settings with all their problems. */
export function loadSettingsFor(
  options: EngineOptions,
  places: SettingsPlaces,
  applied?: Readonly<JsonObject>,
): LoadedSettings {
  const { env, home, notice } = places;
  const trusts = options.trust === true ? (): boolean => true : createTrustCheck(pawlHome(env, home), notice);
  return loadSettings({ ...settingsOptions(options, places), trusts, applied });
}

/** Includes the evidence beside the settings, as it is now. */
export function settingsOptions(options: EngineOptions, places: SettingsPlaces) {
  return { ...loadOptions(options, places), further: currentEvidence(searchPlaces(options, places)) };
}

function loadOptions(options: EngineOptions, { env, home, cwd }: SettingsPlaces) {
  const { settings: flag, settingSources: sources, managedSettings, strictMcpConfig = false } = options;
  // Parsed like text: no key is special.
  const parsed = managedSettings === undefined ? undefined : parseJson(jsonText("managedSettings", managedSettings));
  if (parsed !== undefined && !(parsed.ok && isObject(parsed.value)))
    throw new UsageError("managedSettings must be an object of settings.");
  return {
    env,
    home,
    cwd,
    flag,
    sources,
    managed: parsed?.value as JsonObject | undefined,
    ignoresServers: strictMcpConfig,
  };
}

/** Where the start of a session looks. */
export function searchPlaces({ settings, settingSources }: EngineOptions, { cwd, home, env }: SettingsPlaces) {
  return { settings, settingSources, cwd, home, env };
}

/** Throws `UsageError` for a problem that prevents the start; other problems become notices. */
export function readSettings(options: EngineOptions, places: SettingsPlaces, foundFiles: FoundFiles): SettingsWatch {
  const known = createTrustCheck(pawlHome(places.env, places.home), places.notice);
  // What is beside the settings counts, and is trusted, as it was seen at the start: the session keeps using that state.
  let { further } = foundFiles;
  const searchInput = searchPlaces(options, places);
  const start: { isOver: boolean; hash?: string } = { isOver: false };
  // `--trust` covers what was there when it was given.
  const vouched = new Set<string>();
  const own = (hash: string): boolean =>
    vouched.has(hash) || (options.trust === true && (!start.isOver || start.hash === hash));
  const trusts = (folder: string, hash: string): boolean => own(hash) || known(folder, hash);
  const load: WatchOptions["load"] = (reader, applied) => {
    const common = { ...loadOptions(options, places), reader, applied, trusts };
    const loaded = loadSettings({ ...common, further, files: start.isOver ? undefined : foundFiles.files });
    if (!start.isOver || loaded.project?.isTrusted !== false) return loaded;
    const now = currentEvidence(searchInput);
    const again = loadSettings({ ...common, further: now });
    if (again.project?.isTrusted !== true) return loaded;
    further = now;
    return again;
  };
  const trust = { trusts: own, trust: (hash: string): void => void vouched.add(hash) };
  const watch = new SettingsWatch({
    files: () => watchedFiles(searchInput),
    load,
    trust,
    firstSnapshot: foundFiles.sight,
  });
  Object.assign(start, { isOver: true, hash: watch.loaded.project?.hash });
  for (const { level, text } of watch.loaded.problems) {
    if (level === "error") throw new UsageError(text);
    if (level === "notice") places.notice(text);
  }
  return watch;
}

/** Checks the user's list of trusted folders. */
export function createTrustCheck(
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
