/** The part of this folder that the session uses. */
export { writeAgentMeta, type AgentMeta } from "./agent-meta.ts";
export { describeReport } from "./read-report.ts";
export { earlierPrompts } from "./earlier-prompts.ts";
export { newerVersionError, TranscriptError, type TranscriptErrorCode } from "./error.ts";
export { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
export { findSession, newestSession, type FoundSession } from "./find-session.ts";
export { foldMessage } from "./fold.ts";
export { sessionFileOf, sessionFilesIn, readLastMessageTime, readSummary } from "./list-sessions.ts";
export type { SessionFile, SessionSummary } from "./summary.ts";
export { belongsToAnyDir } from "./shared-slug.ts";
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
export { readSessionFacts, readSession, type StoredSession } from "./read.ts";
export { lineStart } from "./record.ts";
export type { FileChange, NotKeptReason, SessionFacts, Snapshot } from "./record.ts";
export { openToolUses } from "./pairing.ts";
export { isRepairResult, repairOrphans } from "./repair.ts";
export { sweepSteps } from "./sweep.ts";
export type { MessageAppendResult } from "./append-failure.ts";
export { openTranscript, type Transcript, type TranscriptOptions } from "./transcript.ts";
