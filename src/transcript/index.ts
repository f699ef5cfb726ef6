/** The part of this folder that the session uses. */
export { describeReport } from "./read-report.ts";
export { earlierPrompts } from "./earlier-prompts.ts";
export { newerVersionError as newer, TranscriptError, type TranscriptErrorCode } from "./error.ts";
export { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
export { findSession, newestSession, type FoundSession } from "./find-session.ts";
export { foldMessage as fold } from "./fold.ts";
export { describeSkipped, forkSession } from "./fork.ts";
export { listSessions, sessionFilesIn, readSummary as summaryOf } from "./list-sessions.ts";
export type { SessionFile, SessionSummary } from "./summary.ts";
export { belongsToAnyDir as isOfOne } from "./shared-slug.ts";
export { acquireLock, isLocked, type SessionLock } from "./lock.ts";
export {
  fileHistoryFolder,
  isSessionId,
  projectFolder,
  projectSlug,
  projectsFolder,
  sessionFolder,
  subagentPath,
  toolResultsFolder,
  transcriptPath,
} from "./paths.ts";
export { readSessionFacts as readFacts, readSession, type StoredSession } from "./read.ts";
export { lineStart } from "./record.ts";
export type { FileChange, NotKeptReason as NotKept, SessionFacts, Snapshot } from "./record.ts";
export { openToolUses as openCalls } from "./pairing.ts";
export { isRepairResult as isRepair, repairOrphans } from "./repair.ts";
export { sweepSteps } from "./sweep.ts";
export {
  openTranscript,
  type MessageAppendResult as Appended,
  type Transcript,
  type TranscriptOptions,
} from "./transcript.ts";
