/** Errors for what a session cannot do at this moment, or ever again. */
import { SessionError } from "../lib/session-error.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { Failure } from "../protocol/stop.ts";

/** Guards calls that change the session: after its end the change would silently do nothing. Throws `SessionError`. */
export function requireOpen<Parts extends { isClosed?: boolean }>(parts: Parts): Parts {
  if (parts.isClosed === true) throw sessionErrors.closed();
  return parts;
}

export const sessionErrors = {
  running: () => new SessionError("turn_running", "A turn is running: await it first."),
  alreadyRunning: () =>
    new SessionError("turn_running", "A turn is running: await it, or use enqueue() for input that should join it."),
  closed: () => new SessionError("session_closed", "This session was closed; make a new one with createEngine()."),
  clearing: () =>
    new SessionError("session_clearing", "This session is being cleared, or left for another: await that first."),
  empty: () => new SessionError("not_recorded", "There is nothing to go on from: nothing of this session is kept yet."),
  /** An invalid prompt stays invalid, so it is a `UsageError`. */
  notRecorded: ({ kind, message }: Failure) =>
    kind === "invalid_request" ? new UsageError(message) : new SessionError("not_recorded", message),
  rewinding: () => new SessionError("files_rewinding", "Files are being rewound: await rewindFiles() first."),
};
