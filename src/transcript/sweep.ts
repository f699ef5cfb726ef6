/** Retention: removes sessions that were not touched for long, with everything that belongs to them. */
import { join } from "node:path";
import { childPath } from "../lib/child-path.ts";
import { TranscriptError } from "./error.ts";
import { reasonOf } from "../lib/system-reason.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { listNames } from "./list-sessions.ts";
import { isLocked } from "./lock.ts";
import { projectsFolder } from "./paths.ts";
import { sweepTaskLists } from "./sweep-lists.ts";
import { sweepSnapshots } from "./sweep-snapshots.ts";
import type { ProcessTable } from "./process-table.ts";
import { isSessionFileName, removeSession } from "./remove.ts";

export interface SweepOptions {
  /** `$PAWL_HOME`. */
  home: string;
  /** ms since the epoch. */
  now: number;
  /** Days without a change after which a session is removed. Anything but a number of at least 1 removes nothing. */
  cleanupPeriodDays: number;
  fs?: TranscriptFileSystem;
  processes?: ProcessTable;
}

export interface SweepResult {
  /** Ids of the sessions removed. */
  removed: string[];
  problems: string[];
}

const sessionsPerStep = 50;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Never touches a session that a live process holds, nor anything whose name does not begin with a session id. Yields after each small
 * piece of work: a caller with other work pauses there, or stops.
 */
export function* sweepSteps(options: SweepOptions): Generator<void, SweepResult> {
  const swept: SweepResult = { removed: [], problems: [] };
  const { home, now, cleanupPeriodDays, fs = nodeFileSystem, processes } = options;
  if (!Number.isFinite(cleanupPeriodDays) || cleanupPeriodDays < 1 || !Number.isFinite(now)) {
    swept.problems.push(`Nothing was cleaned up: "${cleanupPeriodDays}" days is not a period.`);
    return swept;
  }
  const before = now - cleanupPeriodDays * dayMs;
  const projects = projectsFolder(home);
  const pieces = listNames(fs, projects).map((name): [string, () => Generator<void, void>] => {
    const folder = join(projects, name);
    return [folder, () => sweepProject(folder, before, options, swept)];
  });
  const lists = join(home, "tasks");
  pieces.push([lists, () => sweepTaskLists(lists, before, { fs, processes, now: () => now })]);
  for (const [folder, steps] of rotated(pieces, now)) {
    try {
      yield* steps();
    } catch (error) {
      swept.problems.push(`${folder}: ${reasonOf(error)}`);
    }
    yield;
  }
  return swept;
}

function* sweepProject(
  folder: string,
  before: number,
  options: SweepOptions,
  swept: SweepResult,
): Generator<void, void> {
  const fs = options.fs ?? nodeFileSystem;
  if (fs.statusOf(folder)?.isFolder !== true) return;
  let looked = 0;
  for (const [sessionId, names] of rotated([...groupBySession(listNames(fs, folder))], options.now)) {
    if (++looked % sessionsPerStep === 0) yield;
    // Most sessions are not old, and their first file says so: the others are not looked at.
    const isOldFile = (name: string): boolean => (fs.statusOf(childPath(folder, name))?.modifiedAt ?? 0) < before;
    const isOld = (): boolean => names.every(isOldFile);
    if (!isOld()) continue;
    const world = { fs, processes: options.processes, now: () => options.now, isSweep: true };
    const transcript = childPath(folder, `${sessionId}.jsonl`);
    if (isLocked(transcript, world)) continue;
    try {
      if (removeSession(transcript, { ...world, isWanted: isOld })) swept.removed.push(sessionId);
    } catch (error) {
      // Opened a moment ago, the session is in use. A session that cannot be removed must not keep others from being removed.
      if (!(error instanceof TranscriptError && error.code === "locked"))
        swept.problems.push(`${transcript}: ${reasonOf(error)}`);
    }
  }
  yield* sweepSnapshots(fs, folder, before);
}

/** Starts at a different place each time: otherwise a sweep that is always stopped early would never reach the last ones. */
function rotated<T>(items: T[], now: number): T[] {
  const from = items.length === 0 ? 0 : Math.floor(now) % items.length;
  return [...items.slice(from), ...items.slice(0, from)];
}

function groupBySession(names: string[]): Map<string, string[]> {
  const sessions = new Map<string, string[]>();
  for (const name of names) {
    const id = name.slice(0, 36);
    if (isSessionFileName(name, id)) sessions.set(id, [...(sessions.get(id) ?? []), name]);
  }
  return sessions;
}
