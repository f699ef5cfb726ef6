/**
 * Where work trees are, and who owns them. A file beside each names the process that made it, as long as the tree belongs to an agent or
 * a session. A tree left behind by a process is dealt with by the next process; one that contains changes belongs to the user and has no
 * such file.
 */
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeUnfinishedWrites, temporaryPathBeside } from "../../lib/atomic-write.ts";
import { statusOf } from "../../lib/path-status.ts";
import { isRecord } from "../../lib/is-record.ts";
import { tryParseRecord } from "../../lib/try-parse-json.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { projectSlug } from "../../transcript/paths.ts";
import type { ProcessTable } from "../../transcript/process-table.ts";
import { isGone, ownerOf } from "../surroundings/owner.ts";

/** `top`: the top of the repository. */
export function worktreesFolder(pawlHome: string, top: string): string {
  return join(pawlHome, "worktrees", projectSlug(top));
}

function markerPath(path: string): string {
  return `${path}.json`;
}

/** Written atomically: with half a marker, nobody would know who owns the tree, and it would stay forever. */
export function writeMarker(tree: Worktree, processes: ProcessTable): void {
  const path = markerPath(tree.path);
  const draft = temporaryPathBeside(path);
  try {
    writeFileSync(draft, `${JSON.stringify({ owner: ownerOf(processes), tree })}\n`, { mode: 0o600, flag: "wx" });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

export function hasMarker(path: string): boolean {
  return existsSync(markerPath(path));
}

export function removeMarker(path: string): void {
  rmSync(markerPath(path), { force: true });
}

/** Returns the work trees of dead processes. */
export function abandonedWorktrees(pawlHome: string, processes: ProcessTable, now: number): Worktree[] {
  return foldersIn(join(pawlHome, "worktrees")).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => readMarker(join(folder, name), processes, now) ?? []),
  );
}

/** Removes markers that dead processes had not finished. */
export function removeDrafts(pawlHome: string, processes: ProcessTable, now: number): void {
  const isAlive = (pid: number): boolean => processes.isAlive(pid);
  for (const folder of foldersIn(join(pawlHome, "worktrees"))) removeUnfinishedWrites(folder, isAlive, now);
}

/** Returns the absolute paths of a repository's work trees that belong to nobody but the user. */
export function keptWorktrees(pawlHome: string, top: string): string[] {
  return foldersIn(worktreesFolder(pawlHome, top)).filter((path) => !hasMarker(path));
}

function foldersIn(folder: string): string[] {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

/** The path is derived from the marker's own, whatever the marker says. */
function readMarker(file: string, processes: ProcessTable, now: number): Worktree | undefined {
  const text = readRegularFile(file, 64 * 1024);
  const value = text.ok ? tryParseRecord(text.text) : undefined;
  if (value === undefined || !isRecord(value["tree"])) return undefined;
  if (!isGone(value["owner"], processes, now - (statusOf(file)?.mtimeMs ?? now))) return undefined;
  const { top, branch, base, gitFolder, keepsBranch, shared } = value["tree"];
  if (typeof top !== "string" || typeof branch !== "string" || typeof base !== "string") return undefined;
  const path = file.slice(0, -".json".length);
  const kept = keepsBranch === true ? { keepsBranch } : {};
  const links = Array.isArray(shared) ? { shared: shared.filter((each) => typeof each === "string") } : {};
  return { path, top, branch, base, ...kept, ...links, ...(typeof gitFolder === "string" ? { gitFolder } : {}) };
}

export interface Worktree {
  /** Absolute. */
  path: string;
  /** The top of the tree it was made from. */
  top: string;
  branch: string;
  /** The commit it started at. */
  base: string;
  /** The branch existed before and is not removed with the tree. */
  keepsBranch?: boolean;
  /** Folders that are links to those of `top`, relative to the tree's top. */
  shared?: string[];
  /** The repository's own data about the tree. Absolute; undefined while the tree is being made. */
  gitFolder?: string;
}
