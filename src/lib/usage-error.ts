/** How pawl was called cannot work: no key, a bad flag, an unknown session. Its message is one sentence for a person; exit code 2, no stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** What there is to choose from, a line each; for a terminal, below the message. */
  readonly choices: readonly string[];

  constructor(message?: string, options: { cause?: unknown; choices?: readonly string[] } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.choices = options.choices ?? [];
  }
}
