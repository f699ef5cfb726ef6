/** pawl was called in a way that cannot work: no key, a bad flag, an unknown session. One sentence for people; exit code 2, no stack. */
import { PawlError, type PawlErrorOptions } from "./pawl-error.ts";

/** `usage`: an option, a flag or a setting. `session_locked`: another process has the session open. */
export type UsageErrorCode =
  | "usage"
  | "no_credentials"
  | "session_not_found"
  | "session_ambiguous"
  | "session_locked"
  | "session_exists"
  | "session_unreadable";

export interface UsageErrorOptions extends PawlErrorOptions {
  choices?: readonly string[] | undefined;
  code?: UsageErrorCode;
}

export class UsageError extends PawlError {
  override readonly name = "UsageError";
  readonly code: UsageErrorCode;
  readonly retryable: boolean;
  /** The available choices, one per line; a terminal shows them below the message. */
  readonly choices: readonly string[];

  constructor(message?: string, { choices = [], code = "usage", ...options }: UsageErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.retryable = code === "session_locked";
    this.choices = choices;
  }
}
