/** What the failure of an append is called for people. */
import { reasonOf } from "../lib/system-reason.ts";
import type { AppendResult } from "../protocol/index.ts";
import { otherFolderAdvice, TranscriptError } from "./error.ts";
import { maximumLineBytes } from "./record.ts";

/** `isTooLarge`: the message was not written, and never will be. */
export type MessageAppendResult = AppendResult & { isTooLarge?: true };

export function tooLargeError(length: number): TranscriptError {
  const size = Math.round(length / (1024 * 1024));
  return new TranscriptError(
    "too_large",
    `one message of ${size} MB is more than a transcript takes (${maximumLineBytes / (1024 * 1024)} MB)`,
  );
}

/** `isEmpty`: nothing has been recorded yet. */
export function appendFailure(
  { path, sessionId }: { path: string; sessionId: string },
  isEmpty: boolean,
  error: unknown,
): MessageAppendResult {
  const code = error instanceof TranscriptError ? error.code : undefined;
  const isGone = code === "not_found";
  const cause = isGone
    ? "Put it back where it was, and"
    : "What was recorded before is intact. Once the cause is removed,";
  const way = isEmpty && code === undefined ? otherFolderAdvice : `${cause} go on with --resume ${sessionId}.`;
  const message = `The session's transcript ${path} could not be written: ${reasonOf(error)}. ${way}`;
  return { ok: false, failure: { kind: "transcript", message }, ...(code === "too_large" ? { isTooLarge: true } : {}) };
}
