/** One rewind out of two kinds of knowledge: what was kept of single files, and snapshots of everything. */
import { rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { quoteName } from "../lib/quote-name.ts";
import { isWithin } from "../tools/cwd.ts";
import { hasCode } from "../tools/failure.ts";
import type { FileChange } from "../transcript/index.ts";
import type { ChangesSince } from "../transcript/file-changes.ts";
import { sessionFolder } from "../transcript/paths.ts";
import type { RewindFilesResult } from "./checkpoints.ts";
import type { PutBack, Rewinding } from "./rewind.ts";
import type { Tree } from "./trees/entry.ts";
import { covers, goalOf, rewindTrees, type TreeOutcome } from "./trees/rewind-trees.ts";

/**
 * The first that is known of a file since the prompt says how it was: files that were kept before the snapshot come from there, and
 * so do those it does not cover. Throws the system's error where the working folders cannot be looked at.
 */
export async function withTrees(
  rewinding: Rewinding,
  since: ChangesSince,
  putBack: (changes: readonly FileChange[]) => Promise<PutBack>,
): Promise<RewindFilesResult> {
  const { trees, dryRun, onRestored, transcript } = rewinding;
  const goal = trees === undefined ? undefined : goalOf(trees, since);
  const isLost = since.snapshot !== undefined && goal === undefined;
  const single = since.changes.filter(({ path }, at) => goal === undefined || at < goal.before || !covers(goal, path));
  const back = await putBack(single);
  if (goal === undefined || trees === undefined) {
    if (!dryRun) removeMadeFolders(single);
    return { canRewind: true, ...back, ...problems(back.skipped, since.damaged, isLost) };
  }
  const except = new Map(single.map(({ path, hash, notKept }) => [path, hash === null && notKept === undefined]));
  for (const { path } of back.skipped) except.set(path, false);
  forgetMadeFolders(goal.target, since.changes.slice(0, goal.before), except);
  const aside = sessionFolder(transcript.path);
  const tree = await rewindTrees({ trees, since, dryRun, onRestored, aside }, goal, except);
  return joined(back, tree, since.damaged);
}

/** Folders that tools made for their files; one that holds more stays. */
function removeMadeFolders(changes: readonly FileChange[]): void {
  for (const folder of madeFolders(changes)) {
    try {
      rmdirSync(folder);
    } catch (error) {
      if (!isStaying(error)) throw error;
    }
  }
}

function isStaying(error: unknown): boolean {
  return ["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR", "EACCES", "EPERM", "EBUSY", "EROFS"].some((code) =>
    hasCode(error, code),
  );
}

/** A snapshot that came after such a folder was made does not say that it was there before the prompt. */
function forgetMadeFolders(target: Tree, changes: readonly FileChange[], except: ReadonlyMap<string, boolean>): void {
  const made = madeFolders(changes);
  if (made.length === 0) return;
  const held = new Map<string, number>();
  for (const path of target.keys())
    if (except.get(path) !== true) held.set(dirname(path), (held.get(dirname(path)) ?? 0) + 1);
  for (const folder of made) {
    if ((held.get(folder) ?? 0) > 0 || !target.delete(folder)) continue;
    held.set(dirname(folder), (held.get(dirname(folder)) ?? 1) - 1);
  }
}

/** The lower ones first. */
function madeFolders(changes: readonly FileChange[]): string[] {
  const folders = new Set<string>();
  for (const { path, madeFolder } of changes) {
    if (madeFolder === undefined) continue;
    for (let folder = dirname(path); isWithin(folder, madeFolder); folder = dirname(folder)) folders.add(folder);
  }
  return [...folders].toSorted((one, other) => other.length - one.length);
}

function joined(back: PutBack, tree: TreeOutcome, damaged: number): RewindFilesResult {
  const { foldersChanged, foreign, contested, asideFolder } = tree;
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
    ...problems(skipped, damaged, false),
  };
}

function problems(skipped: { path: string; reason: string }[], damaged: number, isLost: boolean): { error?: string } {
  const sentences = skipped
    .slice(0, 3)
    .map(({ path, reason }) => `${quoteName(path)} was left as it is: ${reason.replace(/\.$/, "")}.`);
  if (skipped.length > 3) sentences.push(`So were ${skipped.length - 3} more.`);
  if (damaged > 0)
    sentences.push(`${damaged} notes of changes in the transcript are damaged; their files were left alone.`);
  if (isLost) sentences.push("The snapshot of the working folders is gone: what commands changed was left as it is.");
  return sentences.length === 0 ? {} : { error: sentences.join(" ") };
}
