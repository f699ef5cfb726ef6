/**
 * The files people write for agents (AGENTS.md, CLAUDE.md and their kin), from the file system's root down to the working
 * folder: gathered as data for the first message. Nothing in them can grant a right.
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { cleanMemory } from "./clean-memory.ts";
import { findRepository } from "./git-folder.ts";
import { readRegularFile } from "../lib/regular-file.ts";

export interface MemoryOptions {
  /** Absolute. */
  cwd: string;
  /** The user's home folder. */
  home: string;
  pawlHome: string;
  /** `$CLAUDE_CONFIG_DIR`, where set. */
  claudeConfigDir?: string;
  /** Whose files count. Default: all. */
  sources?: readonly string[];
  /** Which of a project's files count. Default: AGENTS.md where there is no CLAUDE.md on the way. */
  instructions?: "claude-md" | "claude-md-or-agents-md" | "claude-md-and-agents-md" | "managed-only";
}

export interface MemoryFile {
  path: string;
  scope: "user" | "project" | "local";
}

export interface Memory {
  /** Every file under a heading with its path; empty where there is none. */
  text: string;
  files: MemoryFile[];
  /** What was left out or changed, one sentence each. */
  notices: string[];
}

const maxFileBytes = 4 * 1024 * 1024;
const maxTotalCharacters = 400_000;

export function loadMemory(options: MemoryOptions): Memory {
  const memory: Memory = { text: "", files: [], notices: [] };
  const seen = new Set<string>();
  const texts = new Set<string>();
  const parts: string[] = [];
  const bounds = boundsOf(options);
  for (const file of candidates(options)) {
    if (options.sources?.includes(file.scope) === false) continue;
    const text = load(file, seen, bounds, memory.notices);
    // The same text under two names is told once.
    if (text === undefined || texts.has(text)) continue;
    texts.add(text);
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    if (size + text.length > maxTotalCharacters) {
      memory.notices.push(
        `${file.path} was left out: the memory files together are longer than ${maxTotalCharacters} characters.`,
      );
      continue;
    }
    memory.files.push(file);
    parts.push(`## ${file.path}\n\n${text}`);
  }
  return { ...memory, text: parts.join("\n\n") };
}

/** In the order they are told: the nearest and most personal last. */
function candidates(options: MemoryOptions): MemoryFile[] {
  const { pawlHome, instructions = "claude-md-or-agents-md" } = options;
  const user = [join(claudeHomeOf(options), "CLAUDE.md"), join(pawlHome, "CLAUDE.md"), join(pawlHome, "AGENTS.md")];
  const told = user.map((path): MemoryFile => ({ path, scope: "user" }));
  if (instructions === "managed-only") return told;
  const levels = levelsTo(options.cwd);
  // The user's own file counts as no project's, also where the project lies below the user's home.
  const isOwn = (path: string): boolean => user.includes(path);
  const hasClaude = levels.some((folder) =>
    claudeFiles(folder).some(({ path }) => !isOwn(path) && realPath(path) !== undefined),
  );
  const usesAgents =
    instructions === "claude-md-and-agents-md" || (instructions === "claude-md-or-agents-md" && !hasClaude);
  const project = levels.flatMap((folder) => [
    ...claudeFiles(folder),
    ...(usesAgents ? agentsFiles(folder) : []),
    ...["CLAUDE.md", "AGENTS.md"].map((name): MemoryFile => ({ path: join(folder, ".pawl", name), scope: "project" })),
  ]);
  return [...told, ...project];
}

function claudeHomeOf({ claudeConfigDir, home }: MemoryOptions): string {
  return claudeConfigDir ?? join(home, ".claude");
}

/** Where a project's file may really lie: in the project, or among the user's own. A link elsewhere could hand any file to the model. */
function boundsOf(options: MemoryOptions): string[] {
  const { cwd, pawlHome } = options;
  const folders = [findRepository(cwd) ?? cwd, claudeHomeOf(options), pawlHome];
  return folders.map((folder) => realPath(folder) ?? folder);
}

function claudeFiles(folder: string): MemoryFile[] {
  return [
    { path: join(folder, "CLAUDE.md"), scope: "project" },
    { path: join(folder, ".claude", "CLAUDE.md"), scope: "project" },
    { path: join(folder, "CLAUDE.local.md"), scope: "local" },
  ];
}

function agentsFiles(folder: string): MemoryFile[] {
  return [join(folder, "AGENTS.md"), join(folder, ".claude", "AGENTS.md")].map((path) => ({ path, scope: "project" }));
}

/** Root first. */
function levelsTo(cwd: string): string[] {
  const levels = [cwd];
  for (let folder = cwd; dirname(folder) !== folder; folder = dirname(folder)) levels.unshift(dirname(folder));
  return levels;
}

function realPath(path: string): string | undefined {
  // Most are not there: looking first costs a fifth of the error.
  if (!existsSync(path)) return undefined;
  try {
    return realpathSync.native(path);
  } catch {
    // Not there, or not for us to see: the same to whoever looks for memory.
    return undefined;
  }
}

function load(file: MemoryFile, seen: Set<string>, bounds: readonly string[], notices: string[]): string | undefined {
  const real = realPath(file.path);
  if (real === undefined || seen.has(real)) return undefined;
  seen.add(real);
  const leaveOut = (why: string): undefined => {
    notices.push(`${file.path} was left out: ${why}.`);
    return undefined;
  };
  const folders = [...bounds, realPath(dirname(file.path)) ?? dirname(file.path)];
  if (file.scope !== "user" && !folders.some((folder) => isInside(folder, real))) {
    return leaveOut(`it is a link to ${real}, outside the project`);
  }
  const read = readRegularFile(real, maxFileBytes);
  if (!read.ok) return leaveOut(read.why);
  if (read.text.includes("\0")) return leaveOut("it is not text");
  const cleaned = cleanMemory(read.text);
  if (cleaned.hidden.length > 0) {
    notices.push(`${file.path} holds invisible characters (${cleaned.hidden.join(", ")}); they were taken out.`);
  }
  if (cleaned.isCutByComment) notices.push(`${file.path} has a comment that never ends; what follows it was left out.`);
  return cleaned.text === "" ? undefined : cleaned.text;
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
