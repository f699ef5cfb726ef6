// A session that cannot be resumed: everything opened so far is released, so that the next process finds the session free.
import { expect, test } from "vitest";
import { Snips } from "../../src/session/context/snips.ts";
import { openStore } from "../../src/session/store/store.ts";
import {
  isLocked,
  nodeFileSystem,
  projectFolder,
  transcriptPath,
  type TranscriptFileSystem,
} from "../../src/transcript/index.ts";
import { nodeProcesses } from "../../src/transcript/process-table.ts";
import { findOpenTranscript } from "../../src/transcript/transcript.ts";
import { appendAll, assistant, createIds, open, sessionId, systemError, use, user } from "../transcript/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A disk that takes no more of transcripts, and the paths that are open on it. */
function fullDisk(): { fs: TranscriptFileSystem; left: Map<number, string> } {
  const left = new Map<number, string>();
  const appending = new Set<number>();
  const fs: TranscriptFileSystem = {
    ...nodeFileSystem,
    open(path, how) {
      const descriptor = nodeFileSystem.open(path, how);
      left.set(descriptor, path);
      if (how === "append") appending.add(descriptor);
      return descriptor;
    },
    write(descriptor, ...bytes) {
      if (appending.has(descriptor)) throw systemError("ENOSPC");
      return nodeFileSystem.write(descriptor, ...bytes);
    },
    close(descriptor) {
      left.delete(descriptor);
      appending.delete(descriptor);
      nodeFileSystem.close(descriptor);
    },
  };
  return { fs, left };
}

test("a resume that fails because the disk is full leaves no open file and no lock", () => {
  const [pawlHome, cwd] = [temporaryFolder(), "/project"];
  const folder = projectFolder(pawlHome, cwd);
  const path = transcriptPath(folder, sessionId);
  const before = open(folder, { cwd });
  appendAll(before, [user("u", "Look."), assistant("a", "m", [use("call")])]);
  before.close();
  const { fs, left } = fullDisk();
  const resume = () =>
    openStore({
      pawlHome,
      cwd,
      version: "0.1.0",
      worktrees: () => [],
      source: "sdk",
      persist: true,
      resume: sessionId,
      continue: false,
      fork: false,
      durability: "process",
      clock: { now: Date.now, elapsed: () => 0, timestamp: () => new Date(0).toISOString(), timer: () => () => {} },
      ids: { ...createIds("new"), random: () => 0 },
      files: fs,
      processes: nodeProcesses,
      notice: () => {},
      mirror: undefined,
      replayOf: () => undefined,
      snips: new Snips({ replay: undefined, isEnabled: true, notice: () => {} }),
      snapshot: () => ({}),
    });
  expect(resume).toThrow(/disk is full/);
  expect([...left.values()]).toEqual([]);
  expect(isLocked(path)).toBe(false);
  // What renames a session of this process writes through the transcript that is open here.
  expect(findOpenTranscript(path)).toBeUndefined();
});
