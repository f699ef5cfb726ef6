/** How pawl was called cannot work: no key, a bad flag, an unknown session. Its message is one sentence for a person; exit code 2, no stack. */
import { PawlError, type PawlErrorOptions } from "./pawl-error.ts";

/** `usage`: an option, a flag or a setting. `session_locked`: another process has it now. */
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
  /** What there is to choose from, a line each; for a terminal, below the message. */
  readonly choices: readonly string[];

  constructor(message?: string, { choices = [], code = "usage", ...options }: UsageErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.retryable = code === "session_locked";
    this.choices = choices;
  }
}
