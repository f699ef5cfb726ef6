/** The worktrees of a repository, read from its files; nothing is run. */
import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "../lib/regular-file.ts";
import { findProject } from "./git-folder.ts";
import { findRepository } from "../lib/git-repository.ts";

const maxBytes = 64 * 1024;
const maxWorktrees = 1_000;

/**
 * Returns the folders of the other worktrees of `cwd`'s repository, including the main one; none outside a repository. Absolute. Only
 * worktrees that confirm it themselves are included, because a repository could name anybody's folder.
 */
export function otherWorktrees(cwd: string): string[] {
  const top = findRepository(cwd);
  if (top === undefined) return [];
  const main = findProject(cwd);
  const all = [main, ...linkedWorktrees(join(main, ".git", "worktrees"))];
  return [...new Set(all)].filter((folder) => folder !== top && findProject(folder) === main);
}

function linkedWorktrees(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    // Not a repository of that form, or one without worktrees.
    return [];
  }
  return names.slice(0, maxWorktrees).flatMap((name) => {
    const read = readRegularFile(join(folder, name, "gitdir"), maxBytes);
    return read.ok && read.text.trim() !== "" ? [dirname(resolve(folder, name, read.text.trim()))] : [];
  });
}
