/** What it takes to put files back, and what came of it. */
import type { Transcript } from "../../transcript/transcript.ts";
import type { Trees } from "../trees/trees.ts";

export interface Rewinding {
  transcript: Transcript;
  messageUuid: string;
  dryRun: boolean;
  flush: boolean;
  /** A file that has grown beyond this is left alone: it could not be kept. */
  mostBytes: number;
  /** Snapshots of everything, where there may be some. */
  trees?: Trees;
  /** The `hashBytes` of what a tool last saw or wrote there; undefined where nobody knows. */
  lastSeen?: ((path: string) => string | undefined) | undefined;
  onRestored: (path: string) => void;
}

/** What was done about files that were kept one by one. */
export interface PutBack {
  filesChanged: string[];
  insertions: number;
  deletions: number;
  skipped: { path: string; reason: string }[];
  skippedLinks: number;
  /** Of `filesChanged`: held something that no tool had seen. */
  contested: string[];
}

export interface RewindFilesResult {
  /** False: nothing was looked at, and `error` says why. */
  canRewind: boolean;
  /** One or more sentences, for people. With `canRewind`: what could not be put back. */
  error?: string;
  /** Absolute. Put back, or (`dryRun`) to be. */
  filesChanged?: string[];
  /** Folders that are made, removed or get their mode back. */
  foldersChanged?: string[];
  /** Lines that come back. Binary files count none. */
  insertions?: number;
  /** Lines that go. */
  deletions?: number;
  /** How many of `skipped` are links, or what is no plain file. */
  skippedLinks?: number;
  /** Left as they are. */
  skipped?: { path: string; reason: string }[];
  /** Left as they are, because nothing but somebody else has changed them. */
  foreign?: string[];
  /** Put back although somebody else has changed them since; what they held then is in `asideFolder`. */
  contested?: string[];
  /** Absolute. */
  asideFolder?: string;
}

export interface RewindFilesOptions {
  /** Says what would be done, and does nothing. */
  dryRun?: boolean;
}
