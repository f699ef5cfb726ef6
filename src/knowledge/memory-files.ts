/** Which files may be memory, in the order they are told: the nearest and most personal last. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemPolicyFolders } from "./places.ts";

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
  /** `$CLAUDE_CONFIG_DIR`, where set. */
  claudeConfigDir?: string;
  /** Whose files count. Default: all; an administrator's always do. */
  sources?: readonly string[];
  /** Default: AGENTS.md where there is no CLAUDE.md on the way. */
  instructions?: ProjectInstructions;
  /** Where an administrator's files are. */
  policyFolders?: readonly string[];
}

/** A file, or a folder of rules. */
export interface MemoryCandidate extends MemoryFile {
  isRules?: true;
}

export function memoryCandidates(places: MemoryPlaces): MemoryCandidate[] {
  const { cwd, instructions = "claude-md-or-agents-md", policyFolders = systemPolicyFolders } = places;
  const managed = policyFolders.flatMap((folder) =>
    ["CLAUDE.md", "AGENTS.md"].map((name): MemoryFile => ({ path: join(folder, name), scope: "policy" })),
  );
  const told = [...managed, ...userFiles(places)];
  if (instructions === "managed-only") return told.filter((file) => isCounted(file, places));
  const own = new Set(told.map(({ path }) => path));
  const levels = levelsTo(cwd);
  // The user's own file counts as no project's, also where the project lies below the user's home.
  const hasClaude = levels.some((folder) => claudeFiles(folder).some(({ path }) => !own.has(path) && existsSync(path)));
  const usesAgents =
    instructions === "claude-md-and-agents-md" || (instructions === "claude-md-or-agents-md" && !hasClaude);
  const project = levels.flatMap((folder) => projectFiles(folder, usesAgents));
  const all = [...told, ...project.filter(({ path }) => !own.has(path))];
  return all.filter((file) => isCounted(file, places));
}

function isCounted({ scope }: MemoryFile, { sources }: Pick<MemoryPlaces, "sources">): boolean {
  return scope === "policy" || sources?.includes(scope) !== false;
}

/** Of one folder below the working folder: AGENTS.md only where it has no CLAUDE.md of its own. */
export function nestedCandidates(folder: string, places: MemoryPlaces): MemoryCandidate[] {
  const { instructions = "claude-md-or-agents-md" } = places;
  if (instructions === "managed-only") return [];
  const hasClaude = claudeFiles(folder).some(({ path }) => existsSync(path));
  const usesAgents =
    instructions === "claude-md-and-agents-md" || (instructions === "claude-md-or-agents-md" && !hasClaude);
  return projectFiles(folder, usesAgents).filter((file) => isCounted(file, places));
}

function userFiles(places: MemoryPlaces): MemoryCandidate[] {
  const { pawlHome } = places;
  const claudeHome = claudeHomeOf(places);
  const files: MemoryCandidate[] = [
    { path: join(claudeHome, "CLAUDE.md"), scope: "user" },
    { path: join(claudeHome, "rules"), scope: "user", isRules: true },
    { path: join(pawlHome, "CLAUDE.md"), scope: "user" },
    { path: join(pawlHome, "AGENTS.md"), scope: "user" },
    { path: join(pawlHome, "rules"), scope: "user", isRules: true },
  ];
  return files;
}

export function claudeHomeOf({ claudeConfigDir, home }: Pick<MemoryPlaces, "claudeConfigDir" | "home">): string {
  return claudeConfigDir ?? join(home, ".claude");
}

function projectFiles(folder: string, usesAgents: boolean): MemoryCandidate[] {
  const own = (name: string): MemoryCandidate => ({ path: join(folder, name), scope: "project" });
  const rules = (name: string): MemoryCandidate => ({ ...own(name), isRules: true });
  return [
    ...claudeFiles(folder),
    ...(usesAgents ? ["AGENTS.md", ".claude/AGENTS.md"].map(own) : []),
    ...[".pawl/CLAUDE.md", ".pawl/AGENTS.md"].map(own),
    ...[".claude/rules", ".pawl/rules"].map(rules),
  ];
}

function claudeFiles(folder: string): MemoryFile[] {
  return [
    { path: join(folder, "CLAUDE.md"), scope: "project" },
    { path: join(folder, ".claude", "CLAUDE.md"), scope: "project" },
    { path: join(folder, "CLAUDE.local.md"), scope: "local" },
  ];
}

/** Root first. */
function levelsTo(cwd: string): string[] {
  const levels = [cwd];
  for (let folder = cwd; dirname(folder) !== folder; folder = dirname(folder)) levels.unshift(dirname(folder));
  return levels;
}
