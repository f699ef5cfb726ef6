/** `--rewind-files` and `--dry-run`: a headless run whose prompt is the `/rewind` command. */
import { UsageError } from "../lib/usage-error.ts";
import type { RawOptions } from "./options.ts";
import { notEmpty } from "./values.ts";

export interface Rewind {
  /** A message's uuid, or its number in the session. */
  message: string;
  dryRun: boolean;
}

export function parseRewind({ rewindFiles, dryRun }: RawOptions): Rewind | undefined {
  if (rewindFiles === undefined) return undefined;
  const message = notEmpty("--rewind-files", rewindFiles).trim();
  if (/\s/u.test(message)) throw new UsageError(`--rewind-files takes a message's id or number, not "${message}".`);
  return { message, dryRun: dryRun === true };
}

export function rewindPrompt({ message, dryRun }: Rewind): string {
  return `/rewind ${message} ${dryRun ? "--dry-run" : "confirm"}`;
}
