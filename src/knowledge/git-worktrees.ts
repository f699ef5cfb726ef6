/** The work trees of a repository as its files tell of them; nothing is run. */
import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "../lib/regular-file.ts";
import { findProject, findRepository } from "./git-folder.ts";

const mostBytes = 64 * 1024;
const mostWorktrees = 1_000;

/**
 * Folders of the other work trees of `cwd`'s repository, the main one among them; none outside a repository. Absolute. Only those that
 * say so themselves: what a repository names could be anybody's folder.
 */
export function otherWorktrees(cwd: string): string[] {
  const top = findRepository(cwd);
  if (top === undefined) return [];
  const main = findProject(cwd);
  const all = [main, ...linkedTo(join(main, ".git", "worktrees"))];
  return [...new Set(all)].filter((folder) => folder !== top && findProject(folder) === main);
}

function linkedTo(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    // No repository of that form, or one without work trees.
    return [];
  }
  return names.slice(0, mostWorktrees).flatMap((name) => {
    const read = readRegularFile(join(folder, name, "gitdir"), mostBytes);
    return read.ok && read.text.trim() !== "" ? [dirname(resolve(folder, name, read.text.trim()))] : [];
  });
}
