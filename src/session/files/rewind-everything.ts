/** Combines two sources in one rewind: contents kept for single files, and snapshots of everything. */
import { rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasErrorCode } from "../../lib/error-text.ts";
import { isWithin } from "../../lib/is-within.ts";
import { quoteName } from "../../lib/quote-name.ts";
import type { FileChange } from "../../transcript/index.ts";
import type { ChangesSince } from "../../transcript/file-changes.ts";
import { loadContent } from "../../transcript/file-history.ts";
import { fileHistoryFolder, sessionFolder } from "../../transcript/paths.ts";
import type { RewindFilesResult, RestoredFiles, RewindInput } from "./rewind-types.ts";
import type { FileEntry, Tree } from "../trees/entry.ts";
import { covers, findRewindGoal, rewindTrees, type TreeOutcome } from "../trees/rewind-trees.ts";

/**
 * The earliest knowledge of a file since the prompt counts: content kept before the snapshot wins over the snapshot, and
 * files it does not cover are restored one by one. Throws the system's error if the working folders cannot be read.
 */
export async function rewindWithTrees(
  rewinding: RewindInput,
  since: ChangesSince,
  putBack: (changes: readonly FileChange[]) => Promise<RestoredFiles>,
): Promise<RewindFilesResult> {
  const { trees, dryRun, onRestored, transcript } = rewinding;
  const goal = trees === undefined ? undefined : findRewindGoal(trees, since);
  if (goal === undefined || trees === undefined) {
    const back = await putBack(since.changes);
    if (!dryRun) removeMadeFolders(since.changes);
    const { contested, ...done } = back;
    const others = contested.length === 0 ? {} : { contested };
    return {
      canRewind: true,
      ...done,
      ...others,
      ...errorField(back.skipped, since.damaged, since.snapshot !== undefined),
    };
  }
  const isCovered = ({ path, notKept }: FileChange): boolean => notKept === undefined && covers(goal, path);
  const single = since.changes.filter((change) => !isCovered(change));
  const earlier = since.changes.slice(0, goal.before).filter(isCovered);
  const history = fileHistoryFolder(transcript.path);
  for (const change of earlier) overlayChange(goal.target, change, history);
  forgetMadeFolders(goal.target, earlier);
  const back = await putBack(single);
  if (!dryRun) removeMadeFolders(single);
  const content = (entry: FileEntry): Buffer | undefined =>
    entry.place === undefined ? loadContent(history, entry.hash) : trees.content(entry);
  const except = new Set(single.map(({ path }) => path));
  const aside = sessionFolder(transcript.path);
  const note = (mark: number): void => {
    const recorded = transcript.appendMeta("tree_snapshot", { mark, messageUuid: rewinding.messageUuid });
    if (!recorded.ok) throw new Error(recorded.failure.message);
  };
  const tree = await rewindTrees({ trees, since, dryRun, onRestored, aside, content, note }, goal, except);
  return combineResults(back, tree, since.damaged);
}

/** Replaces what the snapshot found with the file's state when a tool first changed it. */
function overlayChange(target: Tree, { path, hash, mode = 0o644 }: FileChange, history: string): void {
  if (hash === null) {
    target.delete(path);
    return;
  }
  const size = statSync(join(history, hash), { throwIfNoEntry: false })?.size ?? 0;
  target.set(path, { kind: "file", mode, size, ino: 0, mtimeMs: 0, ctimeMs: 0, hash });
}

/** Removes folders that tools created for their files; a folder that holds more stays. */
function removeMadeFolders(changes: readonly FileChange[]): void {
  for (const folder of madeFolders(changes)) {
    try {
      rmdirSync(folder);
    } catch (error) {
      if (!isFolderKeptError(error)) throw error;
    }
  }
}

function isFolderKeptError(error: unknown): boolean {
  return ["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR", "EACCES", "EPERM", "EBUSY", "EROFS"].some((code) =>
    hasErrorCode(error, code),
  );
}

/** A snapshot taken after such a folder was created does not mean that the folder existed before the prompt. */
function forgetMadeFolders(target: Tree, changes: readonly FileChange[]): void {
  const folders = madeFolders(changes);
  if (folders.length === 0) return;
  const held = new Map<string, number>();
  for (const path of target.keys()) held.set(dirname(path), (held.get(dirname(path)) ?? 0) + 1);
  for (const folder of folders) {
    if ((held.get(folder) ?? 0) > 0 || !target.delete(folder)) continue;
    held.set(dirname(folder), (held.get(dirname(folder)) ?? 1) - 1);
  }
}

/** Deepest folders first. */
function madeFolders(changes: readonly FileChange[]): string[] {
  const folders = new Set<string>();
  for (const { path, madeFolder } of changes) {
    if (madeFolder === undefined) continue;
    for (let folder = dirname(path); isWithin(folder, madeFolder); folder = dirname(folder)) folders.add(folder);
  }
  return [...folders].toSorted((one, other) => other.length - one.length);
}

function combineResults(back: RestoredFiles, tree: TreeOutcome, damaged: number): RewindFilesResult {
  const { foldersChanged, foreign, asideFolder } = tree;
  const contested = [...back.contested, ...tree.contested];
  const skipped = [...back.skipped, ...tree.skipped];
  return {
    canRewind: true,
    filesChanged: [...back.filesChanged, ...tree.filesChanged],
    ...(foldersChanged.length === 0 ? {} : { foldersChanged }),
    insertions: back.insertions + tree.insertions,
    deletions: back.deletions + tree.deletions,
    skippedLinks: back.skippedLinks,
    skipped,
    ...(foreign.length === 0 ? {} : { foreign }),
    ...(contested.length === 0 ? {} : { contested }),
    ...(asideFolder === undefined ? {} : { asideFolder }),
    ...errorField(skipped, damaged, false),
  };
}

function errorField(skipped: { path: string; reason: string }[], damaged: number, isLost: boolean): { error?: string } {
  const sentences = skipped
    .slice(0, 3)
    .map(({ path, reason }) => `${quoteName(path)} was left as it is: ${reason.replace(/\.$/, "")}.`);
  if (skipped.length > 3) sentences.push(`So were ${skipped.length - 3} more.`);
  if (damaged > 0)
    sentences.push(`Damaged records of changes in the transcript: ${damaged}; their files were left alone.`);
  if (isLost) sentences.push("The snapshot of the working folders is gone: what commands changed was left as it is.");
  return sentences.length === 0 ? {} : { error: sentences.join(" ") };
}
