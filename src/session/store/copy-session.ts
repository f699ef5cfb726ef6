/** Writes the copy with which a session begins that forks another one. */
import { readFileSync } from "node:fs";
import { describeSkipped, forkSession } from "../../transcript/fork.ts";
import {
  projectFolder,
  readSummary,
  sessionFileOf,
  type FoundSession,
  type TranscriptFileSystem,
} from "../../transcript/index.ts";
import type { TranscriptMirror } from "../options/transcript-mirror.ts";
import { copyTitle } from "../options/title.ts";
import type { SessionCopy, StoreOptions } from "./store-shape.ts";

export function copySession(options: StoreOptions, session: FoundSession, sessionId: string): SessionCopy {
  const fork = forkSession(session.path, sessionId, {
    clock: options.clock,
    folder: projectFolder(options.pawlHome, options.cwd),
    cwd: options.cwd,
    fs: options.files,
    upTo: options.resumeAt,
    title: copyTitle(titleOfSession(session, options.files)),
  });
  const { path } = fork;
  if (options.mirror !== undefined) mirrorFile(options.mirror, path);
  return { copy: { sessionId, path }, notice: describeSkipped(fork) };
}

/** Undefined if the original has no title; the copy then has none either. */
function titleOfSession(session: FoundSession, files: TranscriptFileSystem): string | undefined {
  return readSummary(sessionFileOf(session, files), files)?.title;
}

/** Mirrors a file that was written in one go. */
function mirrorFile(mirror: TranscriptMirror, path: string): void {
  for (const line of readFileSync(path, "utf8").split("\n")) if (line !== "") mirror.wrote(path, line);
}
