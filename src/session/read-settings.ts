/** Settings as a session's options have them read: from where, under whose trust, and what is told of them. */
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { knowledgeEvidence } from "../knowledge/evidence.ts";
import { UsageError } from "../lib/usage-error.ts";
import { loadSettings, type LoadedSettings } from "../settings/load.ts";
import { claudeHome, pawlHome } from "../settings/paths.ts";
import { isTrusted, readTrust } from "../settings/trust.ts";
import { given } from "./credentials.ts";
import type { EngineOptions } from "./options.ts";

export interface SettingsPlaces {
  /** Absolute, and there. */
  cwd: string;
  home: string;
  /** As the process, or the host, gives it. */
  env: Readonly<Record<string, string | undefined>>;
  notice: (text: string) => void;
}

/** Throws `UsageError` where the folder is gone. */
export function settingsPlaces(options: EngineOptions): SettingsPlaces {
  const env = options.env ?? process.env;
  return {
    cwd: workingFolder(options.cwd),
    home: options.home ?? given(env["HOME"]) ?? homedir(),
    env,
    notice: options.onNotice ?? ((): void => {}),
  };
}

function workingFolder(cwd: string | undefined): string {
  let folder: string;
  try {
    folder = resolve(cwd ?? process.cwd());
  } catch {
    throw new UsageError("The current folder is gone: change to one that exists.");
  }
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`There is no folder ${folder}.`);
  return folder;
}

/** With its problems, whatever they are. */
export function loadFor(options: EngineOptions, { env, home, cwd, notice }: SettingsPlaces): LoadedSettings {
  const trusts = options.trust === true ? (): boolean => true : trustedBefore(pawlHome(env, home), notice);
  const homes = { pawlHome: pawlHome(env, home), claudeHome: claudeHome(env, home) };
  const sources = options.settingSources;
  const further = knowledgeEvidence({ cwd, home, ...homes, claudeConfigDir: homes.claudeHome, sources });
  return loadSettings({ env, home, cwd, flag: options.settings, sources, trusts, further });
}

/** Throws `UsageError` for what nothing may be started under; tells the rest. */
export function readSettings(options: EngineOptions, places: SettingsPlaces): LoadedSettings {
  const loaded = loadFor(options, places);
  for (const { level, text } of loaded.problems) {
    if (level === "error") throw new UsageError(text);
    if (level === "notice") places.notice(text);
  }
  return loaded;
}

function trustedBefore(folder: string, notice: (text: string) => void): (project: string, hash: string) => boolean {
  return (project, hash) => {
    try {
      return isTrusted(readTrust(folder), project, hash);
    } catch (error) {
      notice(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
}
