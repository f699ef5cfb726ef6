/** What a session uses of its machine, apart from its tools. A simulator can replace each of these. */
import { mkdirSync, rmSync } from "node:fs";
import { platform, release } from "node:os";
import { dirname } from "node:path";
import { createSpill, type Spill } from "../../context/index.ts";
import { findGitFolder, readBranch } from "../../knowledge/git-folder.ts";
import { gitStatus } from "../../knowledge/git-status.ts";
import { otherWorktrees } from "../../knowledge/git-worktrees.ts";
import { loadKnowledge } from "../../knowledge/load-knowledge.ts";
import { loadMemory, type MemoryOptions } from "../../knowledge/memory.ts";
import { memoryCandidatesInTick } from "../../knowledge/memory-files.ts";
import type { KnowledgeRoots } from "../../knowledge/knowledge-places.ts";
import { NestedMemory } from "../../knowledge/nested-memory.ts";
import { makeFolders } from "../../lib/make-folders.ts";
import type { Environment } from "../../lib/environment.ts";
import { systemCode } from "../../lib/system-reason.ts";
import { temporaryFolder } from "../../lib/temporary-folder.ts";
import { diskPaths, type PathReader } from "../../permissions/paths/path-forms.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "../../transcript/index.ts";
import { nodeProcesses, type ProcessTable } from "../../transcript/process-table.ts";
import { systemClock } from "../../lib/system-clock.ts";
import { claimFolder, removeAbandonedFolders } from "./owned-folder.ts";
import { processesOf } from "./processes-of.ts";

/** Folders for results that are too long for the conversation. */
export interface SpillFolders {
  /** Returns the folder for temporary ones in this environment. Absolute. */
  temporary(env: Environment): string;
  /** Creates the folder and its parents, with mode 0700. */
  make(path: string): void;
  /** Throws if the name exists. Marks the folder's owner, and removes folders left by killed processes. */
  makeNew(path: string): void;
  remove(path: string): void;
  open(directory: string): Spill;
}

export interface Machine {
  platform: string;
  release: string;
  /** The file system for transcripts and locks. */
  files: TranscriptFileSystem;
  processes: ProcessTable;
  /** Lists processes started by commands of a session whose own process is dead, for people: number and command. */
  processesOf(sessionId: string): string[];
  /** Resolves paths for permission rules. */
  paths: PathReader;
  spills: SpillFolders;
  isGitRepository(cwd: string): boolean;
  gitBranch(cwd: string): string | undefined;
  /** Returns the other work trees of the repository. */
  worktrees(cwd: string): string[];
  gitStatus: typeof gitStatus;
  memory: typeof loadMemory;
  /** Shared lookup for many sessions that start at once. Absent: each session looks for itself. */
  memoryFiles?: typeof memoryCandidatesInTick;
  knowledge: typeof loadKnowledge;
  nestedMemory: (options: MemoryOptions, knownTexts: readonly string[]) => NestedMemory;
}

interface StartFolder {
  cwd: string;
  machine: Pick<Machine, "isGitRepository" | "gitBranch">;
  knowledge?: { roots: Pick<KnowledgeRoots, "repository">; cwd: string };
}

/** Whether a starting session is in a repository; avoids the lookup if its start found none. */
export function isInRepository(start: StartFolder): boolean {
  return !isKnownOutside(start) && start.machine.isGitRepository(start.cwd);
}

/** Returns the branch in the same way. */
export function branchAtStart(start: StartFolder): string | undefined {
  return isKnownOutside(start) ? undefined : start.machine.gitBranch(start.cwd);
}

/** An agent may work in a folder other than the one that was looked up. */
function isKnownOutside({ cwd, knowledge }: StartFolder): boolean {
  return knowledge?.cwd === cwd && knowledge.roots.repository === undefined;
}

/** Matches folders of sessions that keep nothing else; similar folders have another word there. */
const sessionFolderPattern = /^pawl-[0-9a-f]{8}-/u;

/** Temporary folders already cleaned up: once per process is enough, which may have hundreds of sessions with a folder each. */
const cleanedFolders = new Set<string>();

function claimNewFolder(folder: string): void {
  try {
    claimFolder(folder, nodeProcesses);
  } catch (error) {
    // On a full disk, the folder exists anyway; at worst it is left behind.
    if (systemCode(error) === undefined) throw error;
  }
}

export const thisMachine: Machine = {
  platform: platform(),
  release: release(),
  files: nodeFileSystem,
  processes: nodeProcesses,
  processesOf,
  paths: diskPaths,
  spills: {
    temporary: temporaryFolder,
    make: (path) => void makeFolders(path, 0o700),
    makeNew(path) {
      mkdirSync(path, { mode: 0o700 });
      claimNewFolder(path);
      const temporary = dirname(path);
      if (cleanedFolders.has(temporary)) return;
      cleanedFolders.add(temporary);
      removeAbandonedFolders(temporary, sessionFolderPattern, nodeProcesses, systemClock.now());
    },
    remove: (path) => rmSync(path, { recursive: true, force: true }),
    open: createSpill,
  },
  isGitRepository: (cwd) => findGitFolder(cwd) !== undefined,
  gitBranch: readBranch,
  worktrees: otherWorktrees,
  gitStatus,
  memory: loadMemory,
  memoryFiles: memoryCandidatesInTick,
  knowledge: loadKnowledge,
  nestedMemory: (options, knownTexts) => new NestedMemory(options, knownTexts),
};
