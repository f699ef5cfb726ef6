/** The base of every error the library throws: its code, whether a retry may work, and its cause. */

export interface PawlErrorOptions {
  cause?: unknown;
  /** The provider's request id, if one of its requests failed. */
  requestId?: string | undefined;
}

export abstract class PawlError extends Error {
  /** For programs; `message` is a sentence for people. */
  abstract readonly code: string;
  /** Whether the same call may work later. */
  abstract readonly retryable: boolean;
  readonly requestId: string | undefined;

  constructor(message?: string, { cause, requestId }: PawlErrorOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.requestId = requestId;
  }
}
