/** The errors of transcripts, as one typed error whose text is written for people. */

import type { SessionSummary } from "./summary.ts";

export type TranscriptErrorCode =
  | "locked"
  | "not_found"
  | "ambiguous"
  | "exists"
  | "not_regular"
  | "invalid_id"
  | "too_large"
  | "newer"
  | "io";

export class TranscriptError extends Error {
  readonly code: TranscriptErrorCode;
  /** For `locked`: the process that holds the session, if its lock names one. */
  readonly pid: number | undefined;
  /** For `ambiguous`: the sessions that match, newest first. */
  readonly candidates: readonly SessionSummary[];

  constructor(
    code: TranscriptErrorCode,
    message: string,
    options: { pid?: number; candidates?: readonly SessionSummary[]; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "TranscriptError";
    this.code = code;
    this.pid = options.pid;
    this.candidates = options.candidates ?? [];
  }
}

/** The error for a file whose conversation this version cannot read: continuing would start a new conversation in it. */
export function newerVersionError(path: string): TranscriptError {
  const why = "was written by a newer version of pawl, and this version can read none of its messages";
  return new TranscriptError("newer", `The transcript ${path} ${why}: update pawl, or begin another session.`);
}

/** Advice for when sessions cannot be saved at all. */
export const otherFolderAdvice =
  "Set PAWL_HOME to a folder that can be written, or keep no transcript (--no-session-persistence).";
