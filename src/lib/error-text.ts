/**
 * Reads thrown values without ever throwing: a host's hook or tool may throw anything, even an error whose `message` getter throws. All
 * errors are read through these functions.
 */
const unreadableErrorText = "an error that cannot be read";

/**
 * Whether a value is an error of any realm: in a separate context, such as jest creates for each test file, errors from Node.js are not
 * instances of the context's `Error`.
 */
export function isError(thrown: unknown): thrown is Error {
  try {
    return (
      thrown instanceof Error || /^\[object (?:Error|DOMException)\]$/u.test(Object.prototype.toString.call(thrown))
    );
  } catch {
    // The value cannot be inspected.
    return false;
  }
}

export function errorText(thrown: unknown): string {
  try {
    const message = messageOf(thrown);
    if (message === "" && isError(thrown)) return innerErrorsText(thrown);
    return typeof message === "string" ? message : String(message);
  } catch {
    return unreadableErrorText;
  }
}

/** Some libraries reject with objects that are not errors. */
function messageOf(thrown: unknown): unknown {
  if (isError(thrown)) return thrown.message;
  if (typeof thrown !== "object" || thrown === null || !("message" in thrown)) return thrown;
  return typeof thrown.message === "string" ? thrown.message : thrown;
}

/** For several addresses that refuse, and for `Promise.any`, the message is empty: the reasons are in `errors`. */
function innerErrorsText(error: Error): string {
  const parts: unknown[] = "errors" in error && Array.isArray(error.errors) ? error.errors : [];
  const messages = parts.map((part) => String(messageOf(part))).join("; ");
  return messages === "" ? (errorCode(error) ?? error.name) : messages;
}

/** The system's error code, such as `ENOENT`, or a library's own code. */
export function errorCode(thrown: unknown): string | undefined {
  try {
    return isError(thrown) && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the error has this code, such as `ENOENT`. */
export function hasErrorCode(thrown: unknown, code: string): boolean {
  return errorCode(thrown) === code;
}

/** Returns the value as an error; anything that is not an error, or cannot be read, is wrapped in one. */
export function toError(thrown: unknown): Error {
  try {
    if (isError(thrown) && typeof thrown.message === "string") return thrown;
  } catch {
    return new Error(unreadableErrorText);
  }
  return new Error(errorText(thrown));
}
