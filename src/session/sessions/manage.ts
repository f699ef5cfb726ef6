/** Copies, renames, archives and removes sessions. */
import { dirname } from "node:path";
import { reasonOf, systemCode } from "../../lib/system-reason.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { annotateSession } from "../../transcript/annotate-session.ts";
import { describeSkipped, forkSession } from "../../transcript/fork.ts";
import { forgetSession } from "../../transcript/catalog/catalog.ts";
import { nodeFileSystem, readSummary, TranscriptError, type SessionFile } from "../../transcript/index.ts";
import { removeSession } from "../../transcript/remove.ts";
import { releaseSnapshots } from "../../transcript/sweep-snapshots.ts";
import { systemClock, systemIds } from "../../lib/system-clock.ts";
import { copyTitle, titleOf } from "../options/title.ts";
import type { ForkSessionOptions, SessionPlace } from "./options.ts";
import { homeOf, withUsageErrors } from "./place.ts";

const systemPorts = { clock: systemClock, ids: systemIds, fs: nodeFileSystem };

/** `notice`: what the copy lacks, for people. */
export function forkFile(
  file: SessionFile,
  { upToMessageId, title }: ForkSessionOptions,
): { sessionId: string; notice: string | undefined } {
  const newId = systemIds.uuid();
  const summary = readSummary(file);
  const name =
    title === undefined ? copyTitle(summary?.title ?? summary?.firstPrompt) : requireVisible("A title", title);
  const fork = withUsageErrors(() =>
    forkSession(file.path, newId, { clock: systemClock, upTo: upToMessageId, title: name }),
  );
  return { sessionId: newId, notice: describeSkipped(fork) };
}

function requireVisible(subject: string, text: string): string {
  const line = titleOf(text);
  if (line === "") throw new UsageError(`${subject} must have at least one visible character.`);
  return line;
}

export function renameFile(path: string, title: string): void {
  const name = requireVisible("A title", title);
  withUsageErrors(() => annotateSession(path, "title", { title: name }, systemPorts));
}

export function tagFile(path: string, name: string | null): void {
  const own = name === null ? null : requireVisible("A tag", name);
  withUsageErrors(() => annotateSession(path, "tag", { tag: own }, systemPorts));
}

export function archiveFile(path: string, archived: boolean): void {
  withUsageErrors(() => annotateSession(path, "archived", { archived }, systemPorts));
}

/** Also removes the session's file backups. */
export function deleteFile(path: string, place: SessionPlace): void {
  removeFile(path, homeOf(place));
  releaseContents([path]);
}

/** Removes the file backups of sessions with these paths, which no longer exist. */
export function releaseContents(paths: readonly string[]): void {
  for (const folder of new Set(paths.map((path) => dirname(path)))) releaseSnapshots(folder, systemClock.now());
}

function removeOrExplain(path: string, options: Parameters<typeof removeSession>[1]): boolean {
  try {
    return removeSession(path, options);
  } catch (error) {
    if (error instanceof TranscriptError || systemCode(error) === undefined) throw error;
    const { path: place = path } = error as NodeJS.ErrnoException;
    const why = `${place} cannot be removed: ${reasonOf(error)}. Once the cause is removed, delete the session again.`;
    throw new TranscriptError("io", why, { cause: error });
  }
}

/** `isWanted`: called once nobody else can open the session. Returns whether the session was removed. */
export function removeFile(path: string, home: string, isWanted?: () => boolean): boolean {
  const options = { now: () => systemClock.now(), ...(isWanted === undefined ? {} : { isWanted }) };
  const isGone = withUsageErrors(() => removeOrExplain(path, options));
  if (isGone) forgetSession(home, path);
  return isGone;
}
