/** What can go wrong with a transcript, as one typed error whose text is for people. */

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
  /** `locked`: the process that holds the session, where its lock says so. */
  readonly pid: number | undefined;
  /** `ambiguous`: those it could be, newest first. */
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

/** Going on would begin anew in a file that has a conversation. */
export function newer(path: string): TranscriptError {
  const why = "was written by a newer version of pawl, and this one can read nothing that was said in it";
  return new TranscriptError("newer", `The transcript ${path} ${why}: update pawl, or begin another session.`);
}

/** What to do where a session cannot be kept at all. */
export const elsewhere =
  "Set PAWL_HOME to a folder that can be written, or keep no transcript (--no-session-persistence).";
