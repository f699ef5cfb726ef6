/** Failures of tools as results: what happened, to what, what to do next. */
import { codeOf } from "../lib/error-text.ts";
import { MovedError } from "../lib/held-place.ts";
import { systemCode } from "../lib/system-reason.ts";
import type { ToolResult } from "../protocol/tool.ts";

export function failure(text: string): ToolResult {
  return { content: text, isError: true };
}

/** A reason to give up that is written for the model; anything else that is thrown is a fault of the machine or of ours. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

const reasons: Record<string, string> = {
  EACCES: "permission denied. Ask the user to change its permissions, or work elsewhere.",
  EPERM: "the system does not permit it. Ask the user, or work elsewhere.",
  EROFS: "the file system is read-only.",
  ENOSPC: "the disk is full. Free some space first.",
  EDQUOT: "the disk quota is used up. Free some space first.",
  EISDIR: "it is a directory, not a file.",
  ENOTDIR: "a part of the path is a file, not a directory.",
  ENAMETOOLONG: "the name is too long for the file system.",
  ELOOP: "its symbolic links go round in a circle.",
  EMFILE: "too many files are open. Try again.",
  ENFILE: "too many files are open on this machine. Try again later.",
  EBUSY: "it is in use or a mount point. Write it through Bash (cat > file) if it must change.",
  ETXTBSY: "it is a program that is running.",
  EIO: "the device reports an input/output error.",
  ESTALE: "the server of this network folder no longer knows it. Try again.",
  EAGAIN: "it gives nothing to read now.",
  EXDEV: "it is on another file system than its folder.",
};

/** `Cannot write a.ts: the disk is full. …`, for errors of the file system; undefined for any other. */
export function fileErrorText(error: unknown, action: string, name: string): string | undefined {
  const told = codeOf(error);
  if (told === undefined) return undefined;
  const code = systemCode(error) ?? told;
  return `Cannot ${action} ${name}: ${reasons[code] ?? `${code}.`}`;
}

export interface Attempt {
  /** `read`, `write`: completes "Cannot … <name>". */
  action: string;
  name: string;
  signal: AbortSignal;
}

/** Turns what a tool throws on purpose, and what the file system throws, into a result; lets faults of ours through. */
export async function settle(attempt: Attempt, work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    return settled(attempt, error);
  }
}

/** What was thrown as a result; a fault of ours is thrown on. */
export function settled(attempt: Attempt, error: unknown): ToolResult {
  if (error instanceof ToolError) return failure(error.message);
  if (error instanceof MovedError)
    return failure(
      `${attempt.name} does not lead where it led when the call was allowed: something was put in its way meanwhile, so nothing was touched. Look at what is there, then call again.`,
    );
  if (attempt.signal.aborted) return failure("The call was cancelled before it finished.");
  const text = fileErrorText(error, attempt.action, attempt.name);
  if (text === undefined) throw error;
  return failure(text);
}
