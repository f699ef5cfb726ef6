/** What every error that the library throws has: which it is, whether the same may work later, and what was behind it (`cause`). */

export interface PawlErrorOptions {
  cause?: unknown;
  /** Of the provider, where a request of its failed. */
  requestId?: string | undefined;
}

export abstract class PawlError extends Error {
  /** For programs; `message` is one sentence for a person. */
  abstract readonly code: string;
  /** The same call, unchanged, may work later. */
  abstract readonly retryable: boolean;
  readonly requestId: string | undefined;

  constructor(message?: string, { cause, requestId }: PawlErrorOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.requestId = requestId;
  }
}
