/** How pawl was called cannot work: no key, a bad flag, an unknown session. Its message is one sentence for a person; exit code 2, no stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
