/** Restores files to their state before a prompt, each atomically, and leaves alone whatever the work did not change. */
import { errorText } from "../../lib/error-text.ts";
import { unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { writeFileAtomically } from "../../lib/atomic-write.ts";
import { makeFolders } from "../../lib/make-folders.ts";
import { hashBytes } from "../../tools/text-file.ts";
import { TranscriptError, type FileChange, type NotKeptReason } from "../../transcript/index.ts";
import { reasonOf } from "../../lib/system-reason.ts";
import { changesSince, type ChangesSince } from "../../transcript/file-changes.ts";
import { loadContent } from "../../transcript/file-history.ts";
import { fileHistoryFolder } from "../../transcript/paths.ts";
import type { RewindFilesResult, RestoredFiles, RewindInput } from "./rewind-types.ts";
import { matchesLook, lookAt, resolveParentLinks, type Look } from "./file-look.ts";
import { noteChange } from "./keep-file.ts";
import { countLines, type LineCounts } from "../trees/line-counts.ts";
import { rewindWithTrees } from "./rewind-everything.ts";

type Outcome =
  | { kind: "same" }
  | ({ kind: "changed"; isContested: boolean } & LineCounts)
  | { kind: "skipped"; reason: string; isLink: boolean };

const nowReasons: Record<NotKeptReason, string> = {
  symbolic_link: "it is a symbolic link now",
  hard_link: "it has other names (hard links) now",
  not_regular: "it is not a plain file now",
  too_large: "it is too large now to be kept",
};

const thenReasons: Record<NotKeptReason, string> = {
  symbolic_link: "it was a symbolic link",
  hard_link: "it had other names (hard links)",
  not_regular: "it was not a plain file",
  too_large: "it was too large to be kept",
};

/** Never throws. */
export async function rewindFiles(rewinding: RewindInput): Promise<RewindFilesResult> {
  let since: ChangesSince | undefined;
  try {
    since = changesSince(rewinding.transcript.path, rewinding.messageUuid);
  } catch (error) {
    // Nothing was written yet, because nothing was said.
    if (!(error instanceof TranscriptError && error.code === "not_found"))
      return { canRewind: false, error: errorText(error) };
  }
  if (since === undefined) return { canRewind: false, error: unknownPrompt(rewinding.messageUuid) };
  try {
    return await rewindWithTrees(rewinding, since, async (changes) => await putBackEach(rewinding, changes));
  } catch (error) {
    return { canRewind: false, error: `The working folders could not be looked at: ${reasonOf(error)}.` };
  }
}

async function putBackEach(rewinding: RewindInput, changes: readonly FileChange[]): Promise<RestoredFiles> {
  const back: RestoredFiles = {
    filesChanged: [],
    insertions: 0,
    deletions: 0,
    skipped: [],
    skippedLinks: 0,
    contested: [],
  };
  for (const change of changes) {
    const outcome = await tryRestore(rewinding, change);
    if (outcome.kind === "changed") {
      back.filesChanged.push(change.path);
      if (outcome.isContested) back.contested.push(change.path);
      back.insertions += outcome.insertions;
      back.deletions += outcome.deletions;
    } else if (outcome.kind === "skipped") {
      back.skipped.push({ path: change.path, reason: outcome.reason });
      if (outcome.isLink) back.skippedLinks++;
    }
  }
  return back;
}

function unknownPrompt(uuid: string): string {
  return `This session has no prompt with the id "${uuid.slice(0, 80)}". Give the uuid of a user message that began a turn.`;
}

async function tryRestore(rewinding: RewindInput, change: FileChange): Promise<Outcome> {
  try {
    return await restore(rewinding, change);
  } catch (error) {
    return skip(reasonOf(error));
  }
}

function skip(reason: string, isLink = false): Outcome {
  return { kind: "skipped", reason, isLink };
}

async function restore(rewinding: RewindInput, change: FileChange): Promise<Outcome> {
  const { path, hash, notKept } = change;
  if (notKept !== undefined) return skip(`${thenReasons[notKept]} when a tool changed it`, notKept !== "too_large");
  if (resolveParentLinks(path) !== path) return skip("a folder of its path is a symbolic link now", true);
  const look = lookAt(path, rewinding.mostBytes);
  if (look.kind === "not_kept") return skip(nowReasons[look.why], look.why !== "too_large");
  const content = hash === null ? undefined : loadContent(fileHistoryFolder(rewinding.transcript.path), hash);
  if (hash !== null && content === undefined) return skip("what was kept of it is gone or damaged");
  const mode = modeFor(look, change.mode);
  if (isSame(look, content, mode)) return { kind: "same" };
  const contested = isContested(look, rewinding.lastSeen?.(path));
  const counts = await countLines(look.kind === "file" ? look.bytes : undefined, content);
  if (!rewinding.dryRun) {
    const recorded = noteChange(rewinding, path, look, rewinding.messageUuid);
    if (!recorded.ok) return skip(recorded.failure.message);
    await replaceOrRemove(path, look, content, mode);
    rewinding.onRestored(path);
  }
  return { kind: "changed", isContested: contested, ...counts };
}

function isContested(look: Look, seenHash: string | undefined): boolean {
  return look.kind === "file" && seenHash !== undefined && hashBytes(look.bytes) !== seenHash;
}

/** Set-id bits are never taken from a record: a file keeps those it has. */
function modeFor(look: Look, mode: number | undefined): number | undefined {
  return mode === undefined ? undefined : mode & (look.kind === "file" ? 0o777 | look.stats.mode : 0o777);
}

function isSame(look: Look, content: Buffer | undefined, mode: number | undefined): boolean {
  if (look.kind !== "file" || content === undefined) return look.kind === "absent" && content === undefined;
  return look.bytes.equals(content) && (mode === undefined || (look.stats.mode & 0o7777) === mode);
}

/** Checks once more right before the final step; a name that has become a link since is replaced or removed, never followed. */
async function replaceOrRemove(
  path: string,
  look: Look,
  content: Buffer | undefined,
  mode: number | undefined,
): Promise<void> {
  const assertStill = (): void => {
    if (resolveParentLinks(path) !== path || !matchesLook(path, look))
      throw new Error("it was changed by someone else at this very moment");
  };
  if (content === undefined) {
    assertStill();
    return unlinkSync(path);
  }
  if (look.kind === "absent") makeFolders(dirname(path));
  const owner = look.kind === "file" ? look.stats : undefined;
  await writeFileAtomically(path, content, { mode, owner, beforeReplace: async () => assertStill() });
}
