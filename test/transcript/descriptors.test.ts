// A process holds many sessions: no file stays open behind a call, whether it went well or the disk failed it.
import { appendFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import type { Message } from "../../src/protocol/index.ts";
import { keepContent, loadContent } from "../../src/transcript/file-history.ts";
import {
  acquireLock,
  fileHistoryFolder,
  isLocked,
  readSession,
  transcriptPath,
  type TranscriptFileSystem,
} from "../../src/transcript/index.ts";
import { forkSession } from "../../src/transcript/fork.ts";
import {
  appendAll,
  boundary,
  breakable,
  clock,
  listSessions,
  open,
  sampleConversation,
  sessionId,
  systemError,
  user,
} from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Paths that are open. */
function watched(failsAt: number): { fs: TranscriptFileSystem; calls: () => number; left: Map<number, string> } {
  const inner = breakable((call, index) => (index === failsAt && call !== "close" ? systemError("EIO") : undefined));
  const left = new Map<number, string>();
  const fs: TranscriptFileSystem = {
    ...inner,
    open(path, how) {
      const descriptor = inner.open(path, how);
      left.set(descriptor, basename(path));
      return descriptor;
    },
    close(descriptor) {
      left.delete(descriptor);
      inner.close(descriptor);
    },
  };
  return { fs, calls: () => inner.calls(), left };
}

function attempt(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if ((error as { code?: string }).code === undefined && !(error as Error).message.includes("EIO")) throw error;
  }
}

/** All that a session does with its files. */
function useFiles(fs: TranscriptFileSystem): void {
  const folder = temporaryFolder();
  const path = transcriptPath(folder, sessionId);
  const said = (messages: readonly Message[], more = {}): void =>
    attempt(() => {
      const transcript = open(folder, { fs, ...more });
      attempt(() => appendAll(transcript, messages));
      attempt(() => transcript.close());
    });
  said([...sampleConversation(), boundary("b", [user("s", "summary")]), user("u", "more")]);
  const history = fileHistoryFolder(path);
  for (const text of ["one", "two"])
    attempt(() => loadContent(history, keepContent(history, Buffer.from(text), { fs, flush: true }), fs));
  attempt(() => appendFileSync(path, '{"torn'));
  attempt(() => said([user("v", "again")], { resume: readSession(path, fs).resumePoint }));
  attempt(() => readSession(path, fs));
  attempt(() => listSessions(folder, fs));
  attempt(() => forkSession(path, copyId, { clock, fs }));
  attempt(() => acquireLock(path, { fs }).release());
  attempt(() => isLocked(path, { fs }));
}

const copyId = "21111111-2222-4333-8444-555555555555";

test("no file stays open, whichever disk call fails", () => {
  const { fs, calls, left } = watched(-1);
  useFiles(fs);
  expect([...left.values()]).toEqual([]);
  const count = calls();
  expect(count).toBeGreaterThan(100);
  for (let at = 0; at < count; at++) {
    const broken = watched(at);
    useFiles(broken.fs);
    expect([...broken.left.values()], `call ${at} fails`).toEqual([]);
  }
});
