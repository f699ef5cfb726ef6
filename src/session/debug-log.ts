/** `--debug-file` and `debugFile`: a log of what happens, one timestamped line each. Keys from the environment never get in. */
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { hasErrorCode } from "../lib/error-text.ts";
import type { Environment } from "../lib/environment.ts";
import { sanitize } from "../lib/sanitize.ts";
import { redactValues } from "../lib/secrets.ts";
import { reasonOf } from "../lib/system-reason.ts";
import { UsageError } from "../lib/usage-error.ts";

export interface DebugLog {
  path: string;
  write(line: string): void;
}

/** Opens for appending, mode 0600. A file that cannot be opened is a `UsageError`; a line that cannot be written is lost. `now` in ms since the epoch. */
export function openDebugLog(file: string, env: Environment, now: () => number = Date.now): DebugLog {
  const path = resolve(file);
  const descriptor = openForAppending(path);
  const entry = createEntryFormatter(env, now);
  return { path, write: createOrderedWriter(entry, (bytes) => writeSync(descriptor, bytes)) };
}

/** Like `openDebugLog`, for a session among many: keeps no file open. A line that cannot be written is lost. */
export function createAppendingLog(
  file: string,
  env: Environment,
  now: () => number = Date.now,
): (line: string) => void {
  const path = resolve(file);
  const entry = createEntryFormatter(env, now);
  return createOrderedWriter(entry, (bytes) => {
    const descriptor = openSync(path, appendFlags, 0o600);
    try {
      return writeSync(descriptor, bytes);
    } finally {
      closeSync(descriptor);
    }
  });
}

/** In bytes, approximately. */
const maxPendingBytes = 1024 * 1024;

/** Keeps the part of a line that a pipe has no room for, and writes it before the next line. `write` returns how many bytes were taken. */
function createOrderedWriter(
  entry: (line: string) => string,
  write: (bytes: Uint8Array) => number,
): (line: string) => void {
  let pending = Buffer.alloc(0);
  return (line) => {
    try {
      if (pending.length < maxPendingBytes) pending = Buffer.concat([pending, Buffer.from(entry(line))]);
      for (let taken = 1; taken > 0 && pending.length > 0; pending = pending.subarray(taken)) taken = write(pending);
    } catch (error) {
      // A full disk must not end a session because of its log, and there is nowhere left to report it.
      if (!hasErrorCode(error, "EAGAIN")) pending = Buffer.alloc(0);
    }
  };
}

function createEntryFormatter(env: Environment, now: () => number): (line: string) => string {
  const secrets = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"].map((name) => env[name] ?? "");
  return (line) => {
    const clean = redactValues(sanitize(line), secrets, "[key]");
    return `${new Date(now()).toISOString()} ${clean.replaceAll("\n", "\n  ")}\n`;
  };
}

/** Opening a named pipe that nobody reads would block the whole process, and no signal would end it. */
const appendFlags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

function openForAppending(path: string): number {
  try {
    return openSync(path, appendFlags, 0o600);
  } catch (error) {
    throw new UsageError(`--debug-file: ${path} cannot be written: ${reasonOf(error)}.`);
  }
}
