/**
 * What was thrown, read so that reading it throws nothing: a host's hook or tool may throw anything, an error whose `message` is a
 * getter that throws among it. All errors are read by these.
 */
const unreadable = "an error that cannot be read";

/**
 * Whether it is an error, of any realm: in a context of its own, as jest makes one for each test file, what Node throws is no instance of
 * the context's `Error`.
 */
export function isError(thrown: unknown): thrown is Error {
  try {
    return (
      thrown instanceof Error || /^\[object (?:Error|DOMException)\]$/u.test(Object.prototype.toString.call(thrown))
    );
  } catch {
    // It does not let itself be looked at.
    return false;
  }
}

export function errorText(thrown: unknown): string {
  try {
    const said = messageOf(thrown);
    if (said === "" && isError(thrown)) return unsaid(thrown);
    return typeof said === "string" ? said : String(said);
  } catch {
    return unreadable;
  }
}

/** Libraries reject with objects that are no errors, too. */
function messageOf(thrown: unknown): unknown {
  if (isError(thrown)) return thrown.message;
  if (typeof thrown !== "object" || thrown === null || !("message" in thrown)) return thrown;
  return typeof thrown.message === "string" ? thrown.message : thrown;
}

/** Of several addresses that refuse, and of `Promise.any`, the message is empty: what happened is in its parts. */
function unsaid(error: Error): string {
  const parts: unknown[] = "errors" in error && Array.isArray(error.errors) ? error.errors : [];
  const said = parts.map((part) => String(messageOf(part))).join("; ");
  return said === "" ? (codeOf(error) ?? error.name) : said;
}

/** The system's name of what went wrong, such as `ENOENT`, or a library's own. */
export function codeOf(thrown: unknown): string | undefined {
  try {
    return isError(thrown) && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it is the system's error of this name, such as `ENOENT`. */
export function hasCode(thrown: unknown, code: string): boolean {
  return codeOf(thrown) === code;
}

/** The same as an error; one that is none, or does not let itself be read, becomes one. */
export function errorOf(thrown: unknown): Error {
  try {
    if (isError(thrown) && typeof thrown.message === "string") return thrown;
  } catch {
    return new Error(unreadable);
  }
  return new Error(errorText(thrown));
}
