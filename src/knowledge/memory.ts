/**
 * The files people write for agents (AGENTS.md, CLAUDE.md and their kin), from the file system's root down to the working
 * folder: gathered as data for the first message. Nothing in them can grant a right.
 */
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { cleanMemory } from "./clean-memory.ts";
import { readRegularFile } from "./regular-file.ts";

export interface MemoryOptions {
  /** Absolute. */
  cwd: string;
  /** The user's home folder. */
  home: string;
  pawlHome: string;
  /** `$CLAUDE_CONFIG_DIR`, where set. */
  claudeConfigDir?: string;
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
  const parts: string[] = [];
  for (const file of candidates(options)) {
    const text = load(file, seen, memory.notices);
    if (text === undefined) continue;
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
  const { home, pawlHome } = options;
  const claudeHome = options.claudeConfigDir ?? join(home, ".claude");
  const user = [join(claudeHome, "CLAUDE.md"), join(pawlHome, "CLAUDE.md"), join(pawlHome, "AGENTS.md")];
  const levels = levelsTo(options.cwd);
  const usesClaude = levels.some((folder) => claudeFiles(folder).some((file) => exists(file.path)));
  const project = levels.flatMap((folder) => {
    const shared = usesClaude ? claudeFiles(folder) : agentsFiles(folder);
    const own = ["CLAUDE.md", "AGENTS.md"].map((name): MemoryFile => ({
      path: join(folder, ".pawl", name),
      scope: "project",
    }));
    return [...shared, ...own];
  });
  return [...user.map((path): MemoryFile => ({ path, scope: "user" })), ...project];
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

function exists(path: string): boolean {
  return realPath(path) !== undefined;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // Not there, or not for us to see: the same to whoever looks for memory.
    return undefined;
  }
}

function load(file: MemoryFile, seen: Set<string>, notices: string[]): string | undefined {
  const real = realPath(file.path);
  if (real === undefined || seen.has(real)) return undefined;
  seen.add(real);
  const read = readRegularFile(real, maxFileBytes);
  if (!read.ok) {
    notices.push(`${file.path} was left out: ${read.why}.`);
    return undefined;
  }
  const cleaned = cleanMemory(read.text);
  if (cleaned.hidden.length > 0) {
    notices.push(`${file.path} holds invisible characters (${cleaned.hidden.join(", ")}); they were taken out.`);
  }
  return cleaned.text === "" ? undefined : cleaned.text;
}
