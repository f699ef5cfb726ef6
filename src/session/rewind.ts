/** Puts files back to what they were before a prompt, each in one step, and leaves alone whatever is not the file a tool changed. */
import { unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { writeFileAtomically } from "../lib/atomic-write.ts";
import { makeFolders } from "../lib/make-folders.ts";
import { quoteName } from "../lib/quote-name.ts";
import { TranscriptError, type FileChange, type NotKept, type Transcript } from "../transcript/index.ts";
import { reasonOf } from "../transcript/error.ts";
import { changesSince, type ChangesSince } from "../transcript/file-changes.ts";
import { loadContent } from "../transcript/file-history.ts";
import { fileHistoryFolder } from "../transcript/paths.ts";
import type { RewindFilesResult } from "./checkpoints.ts";
import { isStill, lookAt, realPathOf, type Look } from "./file-look.ts";
import { noteChange } from "./keep-file.ts";
import { countLines, type LineCounts } from "./line-counts.ts";

export interface Rewinding {
  transcript: Transcript;
  messageUuid: string;
  dryRun: boolean;
  flush: boolean;
  /** A file that has grown beyond this is left alone: it could not be kept. */
  mostBytes: number;
  onRestored: (path: string) => void;
}

type Outcome =
  | { kind: "same" }
  | ({ kind: "changed" } & LineCounts)
  | { kind: "skipped"; reason: string; isLink: boolean };

const nowReasons: Record<NotKept, string> = {
  symbolic_link: "it is a symbolic link now",
  hard_link: "it has other names (hard links) now",
  not_regular: "it is not a plain file now",
  too_large: "it is too large now to be kept",
};

const thenReasons: Record<NotKept, string> = {
  symbolic_link: "it was a symbolic link",
  hard_link: "it had other names (hard links)",
  not_regular: "it was not a plain file",
  too_large: "it was too large to be kept",
};

/** Never throws. */
export async function rewindFiles(rewinding: Rewinding): Promise<RewindFilesResult> {
  let since: ChangesSince | undefined;
  try {
    since = changesSince(rewinding.transcript.path, rewinding.messageUuid);
  } catch (error) {
    // Nothing was written yet: nobody has said anything.
    if (!(error instanceof TranscriptError && error.code === "not_found"))
      return { canRewind: false, error: error instanceof Error ? error.message : String(error) };
  }
  if (since === undefined) return { canRewind: false, error: unknownPrompt(rewinding.messageUuid) };
  const filesChanged: string[] = [];
  const skipped: { path: string; reason: string }[] = [];
  const counts = { insertions: 0, deletions: 0, skippedLinks: 0 };
  for (const change of since.changes) {
    const outcome = await attempt(rewinding, change);
    if (outcome.kind === "changed") {
      filesChanged.push(change.path);
      counts.insertions += outcome.insertions;
      counts.deletions += outcome.deletions;
    } else if (outcome.kind === "skipped") {
      skipped.push({ path: change.path, reason: outcome.reason });
      if (outcome.isLink) counts.skippedLinks++;
    }
  }
  return { canRewind: true, filesChanged, ...counts, skipped, ...problems(skipped, since.damaged) };
}

function unknownPrompt(uuid: string): string {
  return `This session has no prompt with the id "${uuid.slice(0, 80)}". Give the uuid of a user message that began a turn.`;
}

function problems(skipped: { path: string; reason: string }[], damaged: number): { error?: string } {
  const sentences = skipped
    .slice(0, 3)
    .map(({ path, reason }) => `${quoteName(path)} was left as it is: ${reason.replace(/\.$/, "")}.`);
  if (skipped.length > 3) sentences.push(`So were ${skipped.length - 3} more.`);
  if (damaged > 0)
    sentences.push(`${damaged} notes of changes in the transcript are damaged; their files were left alone.`);
  return sentences.length === 0 ? {} : { error: sentences.join(" ") };
}

async function attempt(rewinding: Rewinding, change: FileChange): Promise<Outcome> {
  try {
    return await restore(rewinding, change);
  } catch (error) {
    return skip(reasonOf(error));
  }
}

function skip(reason: string, isLink = false): Outcome {
  return { kind: "skipped", reason, isLink };
}

async function restore(rewinding: Rewinding, change: FileChange): Promise<Outcome> {
  const { path, hash, notKept } = change;
  if (notKept !== undefined) return skip(`${thenReasons[notKept]} when a tool changed it`, notKept !== "too_large");
  if (realPathOf(path) !== path) return skip("a folder of its path is a symbolic link now", true);
  const look = lookAt(path, rewinding.mostBytes);
  if (look.kind === "not_kept") return skip(nowReasons[look.why], look.why !== "too_large");
  const content = hash === null ? undefined : loadContent(fileHistoryFolder(rewinding.transcript.path), hash);
  if (hash !== null && content === undefined) return skip("what was kept of it is gone or damaged");
  const mode = modeFor(look, change.mode);
  if (isSame(look, content, mode)) return { kind: "same" };
  const counts = await countLines(look.kind === "file" ? look.bytes : undefined, content);
  if (!rewinding.dryRun) {
    const noted = noteChange(rewinding, path, look, rewinding.messageUuid);
    if (!noted.ok) return skip(noted.failure.message);
    await replace(path, look, content, mode);
    rewinding.onRestored(path);
  }
  return { kind: "changed", ...counts };
}

/** Set-id bits come from no record: a file keeps those it has. */
function modeFor(look: Look, mode: number | undefined): number | undefined {
  return mode === undefined ? undefined : mode & (look.kind === "file" ? 0o777 | look.stats.mode : 0o777);
}

function isSame(look: Look, content: Buffer | undefined, mode: number | undefined): boolean {
  if (look.kind !== "file" || content === undefined) return look.kind === "absent" && content === undefined;
  return look.bytes.equals(content) && (mode === undefined || (look.stats.mode & 0o7777) === mode);
}

/** The last look comes right before the step that counts; a name that has become a link since is replaced or removed, never followed. */
async function replace(path: string, look: Look, content: Buffer | undefined, mode: number | undefined): Promise<void> {
  const assertStill = (): void => {
    if (realPathOf(path) !== path || !isStill(path, look))
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
