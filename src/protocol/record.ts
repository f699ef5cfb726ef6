/** The Transcript port: write-ahead of everything that depends on it. */
import type { Message } from "./message.ts";
import type { Failure } from "./stop.ts";

export type AppendResult = { ok: true } | { ok: false; failure: Failure };

/**
 * Appends one record. Has returned only once `write` has: safe against the process's death. Idempotent by uuid.
 * Must not throw: a full disk is a value, and what is on disk stays valid.
 */
export interface TranscriptPort {
  append(message: Message): AppendResult | Promise<AppendResult>;
}
