/** The session cannot do this, or cannot do it now. */
import { PawlError, type PawlErrorOptions } from "./pawl-error.ts";

const retryable = {
  /** The session does one thing at a time. */
  turn_running: true,
  session_clearing: true,
  files_rewinding: true,
  session_closed: false,
  /** The transcript could not be written. */
  not_recorded: true,
  no_such_server: false,
  /** An MCP server that a host wanted connected, and that did not connect. */
  server_not_connected: true,
  /** A call or a model that a host requested was refused: by a rule, a hook or a person, or because its input does not fit. */
  call_refused: false,
  /** A file that cannot, or may not, be read. */
  file_unreadable: false,
} as const;

export type SessionErrorCode = keyof typeof retryable;

export class SessionError extends PawlError {
  override readonly name = "SessionError";
  readonly code: SessionErrorCode;
  readonly retryable: boolean;

  constructor(code: SessionErrorCode, message: string, options: PawlErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.retryable = retryable[code];
  }
}
