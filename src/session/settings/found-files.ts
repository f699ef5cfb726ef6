/** What the start of a session finds on disk regardless of its options: looked up once and passed on. */
import { existsSync } from "node:fs";
import { findPlugins, marketOf } from "../../knowledge/enabled-plugins.ts";
import { knowledgeEvidence } from "../../knowledge/evidence.ts";
import { knowledgeRoots, type KnowledgeRoots } from "../../knowledge/knowledge-places.ts";
import { isBrokenLink, realPathOf } from "../../lib/path-status.ts";
import { isWithin } from "../../lib/is-within.ts";
import { shareWithinTick } from "../../lib/share-within-tick.ts";
import { findFileLists, type FileLists } from "../../settings/files.ts";
import type { KnowledgeSettings } from "../../settings/knowledge-keys.ts";
import { flagFile, isJsonFlag } from "../../settings/flag.ts";
import type { FurtherEvidence } from "../../settings/load.ts";
import type { Environment } from "../../lib/environment.ts";
import { claudeHome, claudeJsonFile, mcpFile, pawlHome } from "../../settings/paths.ts";
import { trustFile } from "../../settings/trust.ts";
import { takeSettingsSnapshot, type SettingsSnapshot } from "../../settings/settings-watch.ts";
import type { WatchedFile } from "../../settings/watched-files.ts";
import type { EngineOptions } from "../options/options.ts";

/** Immutable, since many sessions may start from the same one. */
export interface FoundFiles {
  files: FileLists;
  sight: SettingsSnapshot;
  /** What else in the folder needs trust. */
  further: FurtherEvidence;
  /** Where the folder's and the user's knowledge is; `claudeHome` is the user's `.claude` folder. */
  knowledge: { roots: KnowledgeRoots; claudeHome: string };
  /** The user's own MCP server files, if they exist. */
  mcpFile?: string;
  claudeJsonFile?: string;
}

/** Everything the result depends on besides the disk: two starts with equal values find the same. */
interface SearchInput {
  cwd: string;
  home: string;
  pawlHome: string;
  claudeHome: string;
  claudeJson: string;
  sources: readonly string[] | undefined;
  flagFile: string | undefined;
}

type Places = Pick<EngineOptions, "settings" | "settingSources"> & { cwd: string; home: string; env: Environment };

const findTogether = shareWithinTick(findFiles);

/** Starts in the same tick that seek the same share the result. */
export function findStartFilesShared(places: Places): Promise<FoundFiles> {
  return findTogether(searchInput(places));
}

export function findStartFiles(places: Places): FoundFiles {
  return findFiles(searchInput(places));
}

function searchInput({ cwd, home, env, settings: flag, settingSources: sources }: Places): SearchInput {
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

function findFiles(input: SearchInput): FoundFiles {
  // Built from the two values because the environment may have changed since they were read.
  const env = { PAWL_HOME: input.pawlHome, CLAUDE_CONFIG_DIR: input.claudeHome };
  const files = findFileLists({ ...input, env });
  const servers = mcpFile(input.pawlHome);
  const readsClaudeJson = input.sources?.includes("user") !== false && isPresent(input.claudeJson);
  const roots = knowledgeRoots(input);
  return {
    files,
    sight: takeSettingsSnapshot(selectWatchedFiles(files, input)),
    further: furtherEvidence(input, roots),
    knowledge: { roots, claudeHome: input.claudeHome },
    ...(isPresent(servers) ? { mcpFile: servers } : {}),
    ...(readsClaudeJson ? { claudeJsonFile: input.claudeJson } : {}),
  };
}

/** Also true for a dangling link: reading the file reports it. */
function isPresent(path: string): boolean {
  return existsSync(path) || isBrokenLink(path);
}

/** Looks up the current state. */
export function currentEvidence(places: Places): FurtherEvidence {
  return furtherEvidence(searchInput(places));
}

function furtherEvidence(input: SearchInput, roots = knowledgeRoots(input)): FurtherEvidence {
  const pluginFolders = (ownSettings: KnowledgeSettings, allSettings: KnowledgeSettings): string[] =>
    projectPluginFolders(ownSettings, allSettings, input, roots.top);
  return { ...knowledgeEvidence({ ...input, claudeConfigDir: input.claudeHome }, roots), pluginFolders };
}

/** Returns the folders of plugins inside the project, enabled by any settings, and of marketplaces that the project places elsewhere. */
function projectPluginFolders(
  projectSettings: KnowledgeSettings,
  allSettings: KnowledgeSettings,
  places: SearchInput,
  top: string,
): string[] {
  const isFromProjectMarketplace = (id: string): boolean =>
    Object.hasOwn(projectSettings.extraKnownMarketplaces, marketOf(id));
  const ids = Object.keys(allSettings.enabledPlugins).filter(
    (id) =>
      projectSettings.enabledPlugins[id] === true ||
      (allSettings.enabledPlugins[id] === true && isFromProjectMarketplace(id)),
  );
  if (ids.length === 0) return [];
  const enabled = Object.fromEntries(ids.map((id) => [id, true]));
  const { plugins } = findPlugins({ dirs: [], enabled, marketplaces: allSettings.extraKnownMarketplaces }, places);
  const isBelow = (root: string, folder: string): boolean =>
    isWithin(realPathOf(root) ?? root, realPathOf(folder) ?? folder);
  // A home folder may itself be a repository: copies in the user's own folder still belong to the user there.
  return plugins
    .filter(({ id, root, isFetched = false }) =>
      isFetched
        ? isBelow(root, top) && !isBelow(root, places.claudeHome)
        : isFromProjectMarketplace(id) || isBelow(root, top),
    )
    .map(({ root }) => root);
}

export function watchedFiles(places: Places): WatchedFile[] {
  return selectWatchedFiles(findFileLists(places), searchInput(places));
}

function selectWatchedFiles(
  { settings }: FileLists,
  { sources, pawlHome: folder, flagFile: flag }: SearchInput,
): WatchedFile[] {
  return [
    ...settings.filter(({ origin }) => origin === "policy" || sources?.includes(origin) !== false),
    { path: trustFile(folder), origin: "trust" },
    ...(flag === undefined ? [] : [{ path: flag, origin: "flag" as const }]),
  ];
}
