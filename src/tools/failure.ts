/** Tool failures as results: what happened, to what, and what to do next. */
import { errorCode } from "../lib/error-text.ts";
import { MovedError } from "../lib/held-folder.ts";
import { systemCode } from "../lib/system-reason.ts";
import type { ToolResult } from "../protocol/tool.ts";

export function failureResult(text: string): ToolResult {
  return { content: text, isError: true };
}

/** A reason to give up that is written for the model. Anything else that is thrown is a fault of the machine or a bug. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

const errorReasons: Record<string, string> = {
  EACCES: "permission denied. Ask the user to change its permissions, or work elsewhere.",
  EPERM: "the system does not permit it. Ask the user, or work elsewhere.",
  EROFS: "the file system is read-only.",
  ENOSPC: "the disk is full. Free some space first.",
  EDQUOT: "the disk quota is used up. Free some space first.",
  EISDIR: "it is a directory, not a file.",
  ENOTDIR: "a part of the path is a file, not a directory.",
  ENAMETOOLONG: "the name is too long for the file system.",
  ELOOP: "its symbolic links form a loop.",
  EMFILE: "too many files are open. Try again.",
  ENFILE: "too many files are open on this machine. Try again later.",
  EBUSY: "it is in use or a mount point. Write it through Bash (cat > file) if it must change.",
  ETXTBSY: "it is a program that is running.",
  EIO: "the device reports an input/output error.",
  ESTALE: "the server of this network folder no longer knows it. Try again.",
  EAGAIN: "it has nothing to read now.",
  EXDEV: "it is on another file system than its folder.",
};

/** Returns `Cannot write a.ts: the disk is full. …` for a file system error; undefined for any other error. */
export function fileErrorText(error: unknown, action: string, name: string): string | undefined {
  const ownCode = errorCode(error);
  if (ownCode === undefined) return undefined;
  const code = systemCode(error) ?? ownCode;
  return `Cannot ${action} ${name}: ${errorReasons[code] ?? `${code}.`}`;
}

export interface Attempt {
  /** A verb such as `read` or `write`: completes "Cannot … <name>". */
  action: string;
  name: string;
  signal: AbortSignal;
}

/** Runs `work` and turns `ToolError`s and file system errors into a result; rethrows anything else as a bug. */
export async function settleAttempt(attempt: Attempt, work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    return failureFromError(attempt, error);
  }
}

/** Turns the thrown error into a result; rethrows a bug. */
export function failureFromError(attempt: Attempt, error: unknown): ToolResult {
  if (error instanceof ToolError) return failureResult(error.message);
  if (error instanceof MovedError)
    return failureResult(
      `${attempt.name} no longer leads where it led when the call was allowed: the path was changed in the meantime, so nothing was touched. Look at what is there now, then call again.`,
    );
  if (attempt.signal.aborted) return failureResult("The call was cancelled before it finished.");
  const text = fileErrorText(error, attempt.action, attempt.name);
  if (text === undefined) throw error;
  return failureResult(text);
}
