/** Retention: sessions nobody has touched for long are removed, with all that belongs to them. */
import { join } from "node:path";
import { reasonOf } from "./error.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { namesIn } from "./list.ts";
import { isLocked } from "./lock.ts";
import { isSessionId, projectsFolder } from "./paths.ts";
import type { ProcessTable } from "./process-table.ts";

export interface SweepOptions {
  /** `$PAWL_HOME`. */
  home: string;
  /** ms since the epoch. */
  now: number;
  /** Days without a change after which a session goes. Anything but a number of at least 1 removes nothing. */
  cleanupPeriodDays: number;
  fs?: TranscriptFileSystem;
  processes?: ProcessTable;
}

export interface Swept {
  /** Ids of the sessions removed. */
  removed: string[];
  problems: string[];
}

const sessionsPerStep = 50;
const dayMs = 24 * 60 * 60 * 1000;

/** `sweepSteps` in one go. */
export function sweepSessions(options: SweepOptions): Swept {
  const steps = sweepSteps(options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Never touches a session that a live process holds, nor anything whose name does not begin with a session's id. Yields after each
 * small piece of work: whoever sweeps beside something else pauses there, or leaves it at that.
 */
export function* sweepSteps(options: SweepOptions): Generator<void, Swept> {
  const swept: Swept = { removed: [], problems: [] };
  const { now, cleanupPeriodDays } = options;
  if (!Number.isFinite(cleanupPeriodDays) || cleanupPeriodDays < 1 || !Number.isFinite(now)) {
    swept.problems.push(`Nothing was cleaned up: "${cleanupPeriodDays}" days is not a period.`);
    return swept;
  }
  const projects = projectsFolder(options.home);
  for (const project of namesIn(options.fs ?? nodeFileSystem, projects)) {
    try {
      yield* sweepProject(join(projects, project), now - cleanupPeriodDays * dayMs, options, swept);
    } catch (error) {
      swept.problems.push(`${join(projects, project)}: ${reasonOf(error)}`);
    }
    yield;
  }
  return swept;
}

function* sweepProject(folder: string, before: number, options: SweepOptions, swept: Swept): Generator<void, void> {
  const fs = options.fs ?? nodeFileSystem;
  if (fs.statusOf(folder)?.isFolder !== true) return;
  let looked = 0;
  for (const [sessionId, names] of bySession(namesIn(fs, folder))) {
    if (++looked % sessionsPerStep === 0) yield;
    const paths = names.map((name) => join(folder, name));
    const newest = Math.max(...paths.map((path) => fs.statusOf(path)?.modifiedAt ?? 0));
    if (newest >= before) continue;
    const transcript = join(folder, `${sessionId}.jsonl`);
    if (isLocked(transcript, { fs, processes: options.processes, now: () => options.now })) continue;
    for (const path of paths) fs.remove(path);
    swept.removed.push(sessionId);
  }
}

/** Everything of a session begins with its id: transcript, lock, torn tails, folder. */
function bySession(names: string[]): Map<string, string[]> {
  const sessions = new Map<string, string[]>();
  for (const name of names) {
    const id = name.slice(0, 36);
    if (!isSessionId(id) || !(name.length === 36 || name[36] === ".")) continue;
    sessions.set(id, [...(sessions.get(id) ?? []), name]);
  }
  return sessions;
}
