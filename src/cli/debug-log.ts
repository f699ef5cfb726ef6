/** `--debug-file`: what happened, a line each with its time. Keys from the environment never get in. */
import { openSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../lib/usage-error.ts";

export interface DebugLog {
  path: string;
  write(line: string): void;
}

/** Shorter values would blot out ordinary words. */
const shortestSecret = 8;

/** Opens for appending, mode 0600. A file that cannot be opened is a `UsageError`. `now` in ms since the epoch. */
export function openDebugLog(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  now: () => number = Date.now,
): DebugLog {
  const path = resolve(file);
  const descriptor = openForAppending(path);
  const secrets = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"]
    .map((name) => env[name] ?? "")
    .filter((value) => value.length >= shortestSecret);
  return {
    path,
    write(line) {
      const clean = secrets.reduce((text, secret) => text.replaceAll(secret, "[key]"), line);
      writeSync(descriptor, `${new Date(now()).toISOString()} ${clean.replaceAll("\n", "\n  ")}\n`);
    },
  };
}

function openForAppending(path: string): number {
  try {
    return openSync(path, "a", 0o600);
  } catch (error) {
    throw new UsageError(
      `--debug-file: ${path} cannot be written (${error instanceof Error ? error.message : "unknown reason"}).`,
    );
  }
}
