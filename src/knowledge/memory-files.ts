/** Finds the files that may be memory, in the order they are told: the nearest and most personal last. */
import { existsSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { childPath } from "../lib/child-path.ts";
import { foldersAbove } from "../lib/folders-above.ts";
import { isKnownToExist } from "../lib/path-status.ts";
import { isWithin } from "../lib/is-within.ts";
import { isPlanted } from "../lib/planted.ts";
import { shareWithinTick } from "../lib/share-within-tick.ts";
import { systemPolicyFolders } from "./knowledge-places.ts";

export interface MemoryFile {
  path: string;
  scope: "policy" | "user" | "project" | "local";
  /** The file that imported it. */
  parent?: string;
}

/** Which of a project's files count. */
export type ProjectInstructions = "claude-md" | "claude-md-or-agents-md" | "claude-md-and-agents-md" | "managed-only";

export interface MemoryPlaces {
  /** Absolute. */
  cwd: string;
  /** The user's home folder. */
  home: string;
  pawlHome: string;
  /** `$CLAUDE_CONFIG_DIR`, if set. */
  claudeConfigDir?: string;
  /** The scopes that count. Default: all; an administrator's files always count. */
  sources?: readonly string[];
  /** Default: AGENTS.md counts only if there is no CLAUDE.md in any of the folders. */
  instructions?: ProjectInstructions;
  /** The folders of an administrator's files. */
  policyFolders?: readonly string[];
  /** Additional folders whose CLAUDE.md files and rules count too. Absolute. */
  addedFolders?: readonly string[];
  /** Set if `cwd` is in a copy of a repository: the folders above the original then apply in place of those above the copy. Absolute. */
  copy?: { path: string; original: string };
}

/** A file, or a folder of rules. */
export interface MemoryCandidate extends MemoryFile {
  isRules?: true;
}

/** Returns the candidates that exist. */
export function memoryCandidates(places: MemoryPlaces): MemoryCandidate[] {
  const { policyFolders = systemPolicyFolders } = places;
  const managed = policyFiles(policyFolders.filter((folder) => existsSync(folder)));
  const managedAndUser = [...managed, ...userFiles(places)].filter(
    (file) => isScopeEnabled(file, places) && isKnownToExist(file.path),
  );
  return [...managedAndUser, ...projectCandidates(places), ...addedCandidates(places)];
}

/** Like `memoryCandidates`, but shared by all callers in the same tick. */
export const memoryCandidatesInTick = shareWithinTick(memoryCandidates);

/** Returns the candidates in added folders. By convention AGENTS.md is not among them. */
function addedCandidates(places: MemoryPlaces): MemoryCandidate[] {
  const { addedFolders = [], instructions } = places;
  if (addedFolders.length === 0 || instructions === "managed-only") return [];
  const found = addedFolders.flatMap(filesIn).filter(({ path }) => basename(path) !== "AGENTS.md");
  return found
    .map(({ path, scope, isRules }) => ({ path, scope, ...(isRules === undefined ? {} : { isRules }) }))
    .filter((file) => isScopeEnabled(file, places));
}

/** Returns the project's candidates that exist. */
export function projectCandidates(places: MemoryPlaces): MemoryCandidate[] {
  const { instructions = "claude-md-or-agents-md", policyFolders = systemPolicyFolders } = places;
  if (instructions === "managed-only") return [];
  const found = levelsOf(places).flatMap((level) =>
    filesIn(level).filter(({ entry }) => !isPlanted(childPath(level, entry), level, places.cwd)),
  );
  if (found.length === 0) return found;
  // The user's own files, and an administrator's, never count as the project's, even if the project is below the user's home.
  const own = new Set([...policyFiles(policyFolders), ...userFiles(places)].map(({ path }) => path));
  const project = found.filter(({ path }) => !own.has(path));
  return applyAgentsRule(project, instructions).filter((file) => isScopeEnabled(file, places));
}

/** Returns the candidates in one folder below the working folder. AGENTS.md counts only if the folder has no CLAUDE.md of its own. */
export function nestedCandidates(folder: string, places: MemoryPlaces): MemoryCandidate[] {
  const { instructions = "claude-md-or-agents-md" } = places;
  if (instructions === "managed-only") return [];
  return applyAgentsRule(filesIn(folder), instructions).filter((file) => isScopeEnabled(file, places));
}

function isScopeEnabled({ scope }: MemoryFile, { sources }: Pick<MemoryPlaces, "sources">): boolean {
  return scope === "policy" || sources?.includes(scope) !== false;
}

/** Applies the rule for AGENTS.md: by default it counts only if there is no CLAUDE.md. */
function applyAgentsRule(files: readonly LevelFile[], instructions: ProjectInstructions): MemoryCandidate[] {
  const includesAgents =
    instructions === "claude-md-and-agents-md" ||
    (instructions === "claude-md-or-agents-md" &&
      !files.some(({ kind, path }) => kind === "claude" && existsSync(path)));
  return files
    .filter(({ kind }) => includesAgents || kind !== "agents")
    .map(({ path, scope, isRules }) => ({ path, scope, ...(isRules === undefined ? {} : { isRules }) }));
}

function policyFiles(folders: readonly string[]): MemoryCandidate[] {
  return folders.flatMap((folder) =>
    ["CLAUDE.md", "AGENTS.md"].map((name) => ({ path: childPath(folder, name), scope: "policy" as const })),
  );
}

function userFiles(places: MemoryPlaces): MemoryCandidate[] {
  const { pawlHome } = places;
  const claudeHome = claudeHomeOf(places);
  return [
    { path: childPath(claudeHome, "CLAUDE.md"), scope: "user" },
    { path: childPath(claudeHome, "rules"), scope: "user", isRules: true },
    { path: childPath(pawlHome, "CLAUDE.md"), scope: "user" },
    { path: childPath(pawlHome, "AGENTS.md"), scope: "user" },
    { path: childPath(pawlHome, "rules"), scope: "user", isRules: true },
  ];
}

export function claudeHomeOf({ claudeConfigDir, home }: Pick<MemoryPlaces, "claudeConfigDir" | "home">): string {
  return claudeConfigDir ?? join(home, ".claude");
}

interface LevelFile extends MemoryCandidate {
  kind: "claude" | "agents" | "own";
  /** The name of the entry in the folder that the file is, or is inside. */
  entry: string;
}

/** The files a folder may contain, by relative path. */
const levelFiles: readonly (Omit<LevelFile, "path" | "entry"> & { name: string })[] = [
  { name: "CLAUDE.md", scope: "project", kind: "claude" },
  { name: join(".claude", "CLAUDE.md"), scope: "project", kind: "claude" },
  { name: "CLAUDE.local.md", scope: "local", kind: "claude" },
  { name: "AGENTS.md", scope: "project", kind: "agents" },
  { name: join(".claude", "AGENTS.md"), scope: "project", kind: "agents" },
  { name: join(".pawl", "CLAUDE.md"), scope: "project", kind: "own" },
  { name: join(".pawl", "AGENTS.md"), scope: "project", kind: "own" },
  { name: join(".claude", "rules"), scope: "project", kind: "own", isRules: true },
  { name: join(".pawl", "rules"), scope: "project", kind: "own", isRules: true },
];

/** The files to look for if a folder has neither `.claude` nor `.pawl`. */
const plainFiles = levelFiles.filter(({ name }) => !name.includes(sep));

/** Returns the files of one folder that exist. Most folders have none, so the check is kept to five system calls. */
function filesIn(folder: string): LevelFile[] {
  const hasFolders = existsSync(childPath(folder, ".claude")) || existsSync(childPath(folder, ".pawl"));
  const found = (hasFolders ? levelFiles : plainFiles).filter(({ name }) => isKnownToExist(childPath(folder, name)));
  return found.map(({ name, ...file }) => ({ path: childPath(folder, name), entry: name.split(sep, 1)[0]!, ...file }));
}

/** Root first. */
function levelsOf({ cwd, copy }: MemoryPlaces): string[] {
  const levels = [cwd, ...foldersAbove(cwd)].toReversed();
  if (copy === undefined) return levels;
  return [...foldersAbove(copy.original).toReversed(), ...levels.filter((level) => isWithin(level, copy.path))];
}
