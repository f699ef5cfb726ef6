/** What the start of a session finds on the disk, whatever its options say of it: looked at once, and handed on. */
import { existsSync } from "node:fs";
import { findPlugins } from "../../knowledge/enabled-plugins.ts";
import { knowledgeEvidence } from "../../knowledge/evidence.ts";
import { knowledgeRoots, type KnowledgeRoots } from "../../knowledge/places.ts";
import { isBrokenLink } from "../../lib/disk-look.ts";
import { inSameTick } from "../../lib/same-tick.ts";
import { fileLists, type FileLists } from "../../settings/files.ts";
import type { KnowledgeSettings } from "../../settings/knowledge-keys.ts";
import { flagFile, isJsonFlag } from "../../settings/flag.ts";
import type { FurtherEvidence } from "../../settings/load.ts";
import { claudeHome, claudeJsonFile, mcpFile, pawlHome, type Environment } from "../../settings/paths.ts";
import { trustFile } from "../../settings/trust.ts";
import { firstSight, type FirstSight, type WatchedFile } from "../../settings/watch.ts";
import type { EngineOptions } from "../options/options.ts";

/** Many sessions may begin with one: nothing in it changes. */
export interface Found {
  files: FileLists;
  sight: FirstSight;
  /** What else of the folder takes trust. */
  further: FurtherEvidence;
  /** Where its knowledge lies, and that of the user, whose `.claude` folder this is. */
  knowledge: { roots: KnowledgeRoots; claudeHome: string };
  /** The user's own files of MCP servers, where they are there. */
  mcpFile?: string;
  elderMcpFile?: string;
}

/** All that it depends on, besides the disk: two starts of the same find the same. */
interface Sought {
  cwd: string;
  home: string;
  pawlHome: string;
  claudeHome: string;
  claudeJson: string;
  sources: readonly string[] | undefined;
  flagFile: string | undefined;
}

type Places = Pick<EngineOptions, "settings" | "settingSources"> & { cwd: string; home: string; env: Environment };

const findTogether = inSameTick(find);

/** Starts of one tick that seek the same share what is found. */
export function findSoon(places: Places): Promise<Found> {
  return findTogether(soughtBy(places));
}

export function findNow(places: Places): Found {
  return find(soughtBy(places));
}

function soughtBy({ cwd, home, env, settings: flag, settingSources: sources }: Places): Sought {
  return {
    cwd,
    home,
    pawlHome: pawlHome(env, home),
    claudeHome: claudeHome(env, home),
    claudeJson: claudeJsonFile(env, home),
    sources,
    flagFile: flag === undefined || isJsonFlag(flag) ? undefined : flagFile(flag, cwd, home),
  };
}

function find(sought: Sought): Found {
  // The environment may have changed since the two were read from it.
  const env = { PAWL_HOME: sought.pawlHome, CLAUDE_CONFIG_DIR: sought.claudeHome };
  const files = fileLists({ ...sought, env });
  const servers = mcpFile(sought.pawlHome);
  const readsElder = sought.sources?.includes("user") !== false && isPut(sought.claudeJson);
  const roots = knowledgeRoots(sought);
  return {
    files,
    sight: firstSight(watchedAmong(files, sought)),
    further: furtherEvidence(sought, roots),
    knowledge: { roots, claudeHome: sought.claudeHome },
    ...(isPut(servers) ? { mcpFile: servers } : {}),
    ...(readsElder ? { elderMcpFile: sought.claudeJson } : {}),
  };
}

/** Also as a link that leads nowhere: who reads it says so. */
function isPut(path: string): boolean {
  return existsSync(path) || isBrokenLink(path);
}

/** As it is now. */
export function besideSettings(places: Places): FurtherEvidence {
  return furtherEvidence(soughtBy(places));
}

function furtherEvidence(sought: Sought, roots?: KnowledgeRoots): FurtherEvidence {
  const { cwd, home } = sought;
  const pluginFolders = ({ enabledPlugins: enabled, extraKnownMarketplaces: marketplaces }: KnowledgeSettings) =>
    findPlugins({ dirs: [], enabled, marketplaces }, { cwd, home }).plugins.map(({ root }) => root);
  return { ...knowledgeEvidence({ ...sought, claudeConfigDir: sought.claudeHome }, roots), pluginFolders };
}

export function watchedFiles(places: Places): WatchedFile[] {
  return watchedAmong(fileLists(places), soughtBy(places));
}

function watchedAmong({ settings }: FileLists, { sources, pawlHome: folder, flagFile: flag }: Sought): WatchedFile[] {
  return [
    ...settings.filter(({ origin }) => origin === "policy" || sources?.includes(origin) !== false),
    { path: trustFile(folder), origin: "trust" },
    ...(flag === undefined ? [] : [{ path: flag, origin: "flag" as const }]),
  ];
}
