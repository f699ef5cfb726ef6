/** The inputs and results of restoring files. */
import type { Transcript } from "../../transcript/transcript.ts";
import type { Trees } from "../trees/trees.ts";

export interface RewindInput {
  transcript: Transcript;
  messageUuid: string;
  dryRun: boolean;
  flush: boolean;
  /** A file that has grown beyond this is left alone, because it could not be kept. */
  mostBytes: number;
  /** Snapshots of everything, if there may be any. */
  trees?: Trees;
  /** The `hashBytes` of what a tool last saw or wrote there; undefined if unknown. */
  lastSeen?: ((path: string) => string | undefined) | undefined;
  onRestored: (path: string) => void;
}

/** The outcome for files that were kept one by one. */
export interface RestoredFiles {
  filesChanged: string[];
  insertions: number;
  deletions: number;
  skipped: { path: string; reason: string }[];
  skippedLinks: number;
  /** Those of `filesChanged` with content that no tool had seen. */
  contested: string[];
}

export interface RewindFilesResult {
  /** False: nothing was checked, and `error` says why. */
  canRewind: boolean;
  /** One or more sentences for people. With `canRewind`: what could not be restored. */
  error?: string;
  /** Absolute. The files that were restored; with `dryRun`, those that would be. */
  filesChanged?: string[];
  /** Folders that are created, removed or get their mode back. */
  foldersChanged?: string[];
  /** Lines that come back. Binary files do not count. */
  insertions?: number;
  /** Lines that are removed. */
  deletions?: number;
  /** How many of `skipped` are links or not regular files. */
  skippedLinks?: number;
  /** Files left as they are. */
  skipped?: { path: string; reason: string }[];
  /** Left as they are, because only somebody else has changed them. */
  foreign?: string[];
  /** Restored although somebody else has changed them since; their content then is in `asideFolder`. */
  contested?: string[];
  /** Absolute. */
  asideFolder?: string;
}

export interface RewindFilesOptions {
  /** Reports what would be done without doing it. */
  dryRun?: boolean;
}
