/** The part of this folder that the session uses. */
export { describeReport } from "./report.ts";
export { earlierPrompts } from "./earlier-prompts.ts";
export { newer, TranscriptError, type TranscriptErrorCode } from "./error.ts";
export { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
export { findSession, newestSession, type FoundSession } from "./find.ts";
export { fold } from "./fold.ts";
export { describeSkipped, forkSession } from "./fork.ts";
export { listSessions, sessionFilesIn, summaryOf } from "./list.ts";
export type { SessionFile, SessionSummary } from "./summary.ts";
export { isOfOne } from "./namesakes.ts";
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
export { readFacts, readSession, type StoredSession } from "./read.ts";
export { lineStart } from "./record.ts";
export type { FileChange, NotKept, SessionFacts, Snapshot } from "./record.ts";
export { openCalls } from "./pairing.ts";
export { isRepair, repairOrphans } from "./repair.ts";
export { sweepSteps } from "./sweep.ts";
export { openTranscript, type Appended, type Transcript, type TranscriptOptions } from "./transcript.ts";
