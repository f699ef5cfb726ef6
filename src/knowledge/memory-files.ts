/** Which files may be memory, in the order they are told: the nearest and most personal last. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemPolicyFolders } from "./places.ts";
import { isWithin } from "./scan.ts";

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
  /** `cwd` lies in a copy of a repository: above it comes what is above that one. Absolute. */
  copy?: { path: string; of: string };
}

/** A file, or a folder of rules. */
export interface MemoryCandidate extends MemoryFile {
  isRules?: true;
}

/** Those that are there. */
export function memoryCandidates(places: MemoryPlaces): MemoryCandidate[] {
  const { instructions = "claude-md-or-agents-md", policyFolders = systemPolicyFolders } = places;
  const managed = policyFolders.flatMap((folder) =>
    ["CLAUDE.md", "AGENTS.md"].map((name): MemoryFile => ({ path: join(folder, name), scope: "policy" })),
  );
  const told = [...managed, ...userFiles(places)];
  // The user's own file counts as no project's, also where the project lies below the user's home.
  const own = new Set(told.map(({ path }) => path));
  const levels = instructions === "managed-only" ? [] : levelsOf(places);
  const project = levels.flatMap(filesIn).filter(({ path }) => !own.has(path));
  const all = [...told.filter(({ path }) => existsSync(path)), ...withoutAgents(project, instructions)];
  return all.filter((file) => isCounted(file, places));
}

/** Of one folder below the working folder: AGENTS.md only where it has no CLAUDE.md of its own. */
export function nestedCandidates(folder: string, places: MemoryPlaces): MemoryCandidate[] {
  const { instructions = "claude-md-or-agents-md" } = places;
  if (instructions === "managed-only") return [];
  return withoutAgents(filesIn(folder), instructions).filter((file) => isCounted(file, places));
}

function isCounted({ scope }: MemoryFile, { sources }: Pick<MemoryPlaces, "sources">): boolean {
  return scope === "policy" || sources?.includes(scope) !== false;
}

/** By default AGENTS.md counts where there is none of the others' kind. */
function withoutAgents(files: readonly LevelFile[], instructions: ProjectInstructions): MemoryCandidate[] {
  const takesAgents =
    instructions === "claude-md-and-agents-md" ||
    (instructions === "claude-md-or-agents-md" && !files.some(({ kind }) => kind === "claude"));
  return files
    .filter(({ kind }) => takesAgents || kind !== "agents")
    .map(({ path, scope, isRules }) => ({ path, scope, ...(isRules === undefined ? {} : { isRules }) }));
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

interface LevelFile extends MemoryCandidate {
  kind: "claude" | "agents" | "own";
}

/** Those that are there, of one folder. Most folders have none: looking costs five system calls. */
function filesIn(folder: string): LevelFile[] {
  const made = (kind: LevelFile["kind"], name: string, more: Partial<LevelFile> = {}): LevelFile => ({
    path: join(folder, name),
    scope: "project",
    kind,
    ...more,
  });
  const inClaude = existsSync(join(folder, ".claude"));
  const inPawl = existsSync(join(folder, ".pawl"));
  const files = [
    made("claude", "CLAUDE.md"),
    ...(inClaude ? [made("claude", ".claude/CLAUDE.md")] : []),
    made("claude", "CLAUDE.local.md", { scope: "local" }),
    made("agents", "AGENTS.md"),
    ...(inClaude ? [made("agents", ".claude/AGENTS.md")] : []),
    ...(inPawl ? [made("own", ".pawl/CLAUDE.md"), made("own", ".pawl/AGENTS.md")] : []),
    ...(inClaude ? [made("own", ".claude/rules", { isRules: true })] : []),
    ...(inPawl ? [made("own", ".pawl/rules", { isRules: true })] : []),
  ];
  return files.filter(({ path }) => existsSync(path));
}

function levelsOf({ cwd, copy }: MemoryPlaces): string[] {
  const levels = levelsTo(cwd);
  if (copy === undefined) return levels;
  return [...levelsTo(dirname(copy.of)), ...levels.filter((level) => isWithin(copy.path, level))];
}

/** Root first. */
function levelsTo(cwd: string): string[] {
  const levels = [cwd];
  for (let folder = cwd; dirname(folder) !== folder; folder = dirname(folder)) levels.unshift(dirname(folder));
  return levels;
}
