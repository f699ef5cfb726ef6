/** What the session sees of this room. */
export { describeReport, type ReadReport } from "./report.ts";
export { TranscriptError, type TranscriptErrorCode } from "./error.ts";
export { nodeFileSystem, type FileStatus, type TranscriptFileSystem } from "./file-system.ts";
export { findSession, newestSession, type FoundSession, type Place } from "./find.ts";
export { fold, foldInto } from "./fold.ts";
export { forkSession, type Forked, type ForkOptions } from "./fork.ts";
export { listSessions, type ListOptions, type SessionSummary } from "./list.ts";
export { acquireLock, isLocked, type LockOptions, type SessionLock } from "./lock.ts";
export {
  isSessionId,
  projectFolder,
  projectSlug,
  projectsFolder,
  sessionFolder,
  toolResultsFolder,
  transcriptPath,
} from "./paths.ts";
export { readSession, type ResumePoint, type StoredSession } from "./read.ts";
export type { FactData, FactKind, SessionFacts, Snapshot } from "./record.ts";
export { repairOrphans, type RepairOptions } from "./repair.ts";
export { sweepSessions, type Swept, type SweepOptions } from "./sweep.ts";
export { openTranscript, type Transcript, type TranscriptOptions } from "./transcript.ts";
