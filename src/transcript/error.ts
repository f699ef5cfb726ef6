/** What can go wrong with a transcript, as one typed error whose text is for people. */

import { errorText } from "../lib/error-text.ts";
import type { SessionSummary } from "./list.ts";

export type TranscriptErrorCode =
  | "locked"
  | "not_found"
  | "ambiguous"
  | "exists"
  | "not_regular"
  | "invalid_id"
  | "too_large"
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

const words: Record<string, string> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EIO: "the disk reported an error",
  EROFS: "the file system is read-only",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EMFILE: "this process has too many open files",
  ENFILE: "the system has too many open files",
  EFBIG: "the file would be larger than the system allows",
  ENOENT: "it does not exist",
  ENOTDIR: "a part of its path is not a folder",
  ELOOP: "it is a symbolic link",
};

/** The system's error code, such as `ENOSPC`; undefined for other errors. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" && /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined;
}

/** `the disk is full (ENOSPC)`: the reason in words, with the code a search finds. */
export function reasonOf(error: unknown): string {
  const code = systemCode(error);
  if (code !== undefined) return words[code] === undefined ? code : `${words[code]} (${code})`;
  return errorText(error);
}
