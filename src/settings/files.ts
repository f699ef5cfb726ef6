/** The settings files there may be, lowest first: a later file overrides an earlier one. */
import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Environment } from "../lib/environment.ts";
import { childPath } from "../lib/child-path.ts";
import { foldersUpTo } from "../lib/folders-above.ts";
import { realPathOf } from "../lib/path-status.ts";
import { isWithin } from "../lib/is-within.ts";
import { isPlanted } from "../lib/planted.ts";
import { claudeHome, pawlHome } from "./paths.ts";
import type { SettingsOrigin } from "./source.ts";
import { mainWorktree } from "./trust.ts";

/** In bytes. A larger settings file is neither read nor changed. */
export const maxSettingsBytes = 2 * 1024 * 1024;

export interface SettingsFile {
  path: string;
  origin: Exclude<SettingsOrigin, "flag">;
  /** The folder that a leading `/` in the file's path rules is relative to. */
  folder: string;
  /** Files that may be mistaken for this one and are not read. */
  ignoredFiles?: readonly { path: string; why: string }[];
}

export interface FilePlaces {
  env: Environment;
  home: string;
  /** Absolute. */
  cwd: string;
  /** The folders of an administrator's files. */
  policyFolders?: readonly string[];
}

/** The administrator's folders, by the convention and of this program. */
const systemPolicyFolders = ["/etc/claude-code", "/etc/pawl"];
const settingsFolderNames = [".claude", ".pawl"];

/** The files a project's settings are read from. Both lists depend on where its repository begins. */
export interface FileLists {
  settings: readonly SettingsFile[];
  /** Where the project names its MCP servers. */
  servers: readonly string[];
}

export function findFileLists(places: FilePlaces): FileLists {
  const top = repositoryTop(places.cwd, places.home);
  return { settings: settingsFilesBelow(places, top), servers: mcpServerFiles(places.cwd, top) };
}

export function settingsFiles(places: FilePlaces): SettingsFile[] {
  return settingsFilesBelow(places, repositoryTop(places.cwd, places.home));
}

function settingsFilesBelow(
  { env, home, cwd, policyFolders = systemPolicyFolders }: FilePlaces,
  top: string,
): SettingsFile[] {
  const userFolders = [...new Set([claudeHome(env, home), pawlHome(env, home)])];
  const userFiles = userFolders.map((folder) => ({
    path: childPath(folder, "settings.json"),
    origin: "user" as const,
    folder,
  }));
  const project = settingsFolderNames.map((name) => ({
    path: childPath(childPath(cwd, name), "settings.json"),
    origin: "project" as const,
    folder: cwd,
  }));
  const localFolder = localSettingsFolder(top, home);
  const ignoredFolders = [
    ...(localFolder === top
      ? []
      : [{ folder: top, why: "the local settings of a work tree are those of the main one" }]),
    ...(cwd === top ? [] : [{ folder: cwd, why: "the local settings of a repository are those at its top" }]),
  ];
  const local = settingsFolderNames.map((name) => {
    const pathIn = (folder: string): string => childPath(childPath(folder, name), "settings.local.json");
    const ignoredFiles = ignoredFolders.map(({ folder, why }) => ({ path: pathIn(folder), why }));
    return { path: pathIn(localFolder), origin: "local" as const, folder: top, ignoredFiles };
  });
  const policy = policyFolders.flatMap((folder) =>
    [childPath(folder, "managed-settings.json"), ...dropInFiles(childPath(folder, "managed-settings.d"))].map(
      (path) => ({
        path,
        origin: "policy" as const,
        folder,
      }),
    ),
  );
  // In the home directory, the user's own files lie where a project's would.
  const real = realHome(home);
  const userFolderPaths = userFolders.flatMap((folder) =>
    isWithin(folder, home) ? [folder, join(real, relative(home, folder))] : [folder],
  );
  const isUserFile = (path: string): boolean => userFolderPaths.includes(dirname(path));
  return [
    ...userFiles,
    ...project.filter(({ path }) => !isUserFile(path)),
    ...local.filter(({ path }) => !isUserFile(path)),
    ...policy,
  ];
}

/** The server files from the top of the repository down to the working directory. */
function mcpServerFiles(cwd: string, top: string): string[] {
  const files = foldersUpTo(cwd, top).map((folder) => childPath(folder, ".mcp.json"));
  return files.filter((path) => !isPlanted(path, dirname(path), cwd)).toReversed();
}

function dropInFiles(folder: string): string[] {
  try {
    // The folder is usually missing, and an error from Node costs more than this check.
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    const names = readdirSync(folder).filter((name) => name.endsWith(".json") && !name.startsWith("."));
    return names.toSorted().map((name) => childPath(folder, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    // A policy that cannot be seen is not a missing policy: reading it will fail and be reported.
    return [folder];
  }
}

/** The home directory's real path: a working directory is given by its real path, the home as it is named. */
function realHome(home: string): string {
  try {
    return realpathSync.native(home);
  } catch {
    return home;
  }
}

/** The top of the repository, whose folders share local settings; the folder itself if it is in none, or if the home is one. */
function repositoryTop(cwd: string, home: string): string {
  const real = realHome(home);
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (folder === home || folder === real || dirname(folder) === folder) return cwd;
    if (hasFolderOwner(childPath(folder, ".git"), folder)) return folder;
  }
}

/** Local files are not committed, so all work trees of a repository use those of the main one. */
function localSettingsFolder(top: string, home: string): string {
  const main = mainWorktree(realPathOf(top) ?? top);
  const isHome = main === home || main === realHome(home);
  return main !== undefined && !isHome && hasFolderOwner(childPath(main, ".git"), main) ? main : top;
}

/** Somebody else's `.git` in a shared folder above must not decide where settings are. */
function hasFolderOwner(path: string, folder: string): boolean {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found !== undefined && found.uid === statSync(folder).uid;
  } catch {
    return false;
  }
}
