/**
 * What was thrown, read so that reading it throws nothing: a host's hook or tool may throw anything, an error whose `message` is a
 * getter that throws among it. All errors are read by these.
 */
const unreadable = "an error that cannot be read";

export function errorText(thrown: unknown): string {
  try {
    const said: unknown = thrown instanceof Error ? thrown.message : thrown;
    return typeof said === "string" ? said : String(said);
  } catch {
    return unreadable;
  }
}

/** Whether it is the system's error of this name, such as `ENOENT`. */
export function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === code;
}

/** The same as an error; one that is none, or does not let itself be read, becomes one. */
export function errorOf(thrown: unknown): Error {
  try {
    if (thrown instanceof Error && typeof thrown.message === "string") return thrown;
  } catch {
    return new Error(unreadable);
  }
  return new Error(errorText(thrown));
}
