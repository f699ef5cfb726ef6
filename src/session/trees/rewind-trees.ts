/** Restores everything to its state at a snapshot, as far as the work since has changed it. */
import { symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { systemPath } from "../../lib/file-name.ts";
import { isWithin } from "../../lib/is-within.ts";
import { makeFolders } from "../../lib/make-folders.ts";
import type { ChangesSince } from "../../transcript/file-changes.ts";
import { attributeChanges } from "./attribute-changes.ts";
import type { FileEntry, SnapshotMark, Tree, TreeEntry } from "./entry.ts";
import { planRewind, type Plan } from "./plan-rewind.ts";
import { Restore } from "./restore.ts";
import type { ReplayedLog } from "./tree-log.ts";
import type { Trees } from "./trees.ts";

export interface TreeRewindOptions {
  trees: Trees;
  since: ChangesSince;
  dryRun: boolean;
  onRestored: (path: string) => void;
  /** Returns the content of a file as it is to be restored. */
  content: (entry: FileEntry) => Buffer | undefined;
  /** A subfolder of it receives other people's versions of the files that are restored. */
  aside: string;
  /** Records the snapshot taken at the start of this rewind; prompts since the previous snapshot had none to go back to. Throws. */
  note: (mark: number) => void;
}

export interface TreeOutcome {
  filesChanged: string[];
  foldersChanged: string[];
  insertions: number;
  deletions: number;
  skipped: { path: string; reason: string }[];
  /** Paths that only somebody else changed; left as they are. */
  foreign: string[];
  /** Paths that somebody else changed after the work had; restored. */
  contested: string[];
  /** Where the replaced contents of those are now. */
  asideFolder?: string;
}

/** A snapshot to which the session can go back. */
export interface RewindGoal {
  mark: SnapshotMark;
  target: Tree;
  replayed: ReplayedLog;
  /** How many of the changes that tools announced precede it. */
  before: number;
}

/** Returns undefined if there is no snapshot, or its content is gone. */
export function findRewindGoal(trees: Trees, { snapshot }: ChangesSince): RewindGoal | undefined {
  if (snapshot === undefined) return undefined;
  const replayed = trees.replayed(snapshot.mark);
  const { target, marks } = replayed;
  const mark = marks.find(({ number }) => number === snapshot.mark);
  return mark === undefined || target === undefined ? undefined : { mark, target, replayed, before: snapshot.before };
}

/** Whether the snapshot covers the path. */
export function covers({ mark, target }: RewindGoal, path: string): boolean {
  if (!mark.roots.some((root) => isWithin(path, root)) || target.get(path)?.kind === "left") return false;
  for (let above = dirname(path); ; above = dirname(above)) {
    const entry = target.get(above);
    if (entry !== undefined) return entry.kind !== "left";
    if (dirname(above) === above) return false;
  }
}

/** `except`: paths restored from their own backups. Throws the system's error if scanning or recording the snapshot failed. */
export async function rewindTrees(
  rewinding: TreeRewindOptions,
  goal: RewindGoal,
  except: ReadonlySet<string>,
): Promise<TreeOutcome> {
  const { trees, since, dryRun } = rewinding;
  const { mark, target, replayed } = goal;
  // What is replaced is backed up as well, and a rewind that dies half-way counts as work that can be rewound.
  const snapshot = dryRun ? { tree: replayed.tree, mark: undefined } : await trees.takeSnapshot("before");
  if (snapshot.mark !== undefined) rewinding.note(snapshot.mark);
  const current = await trees.scanWithoutRecording(target, snapshot.tree, mark.roots);
  const changedPaths = attributeChanges({ when: mark.when, replayed, current, announced: since.changes });
  const plan = planRewind({ target, current, ...changedPaths, except });
  const isAside = !dryRun && plan.contested.some((path) => isKeptAside(current.get(path)));
  const asideFolder = isAside ? join(rewinding.aside, `rewound-${snapshot.mark}`) : undefined;
  for (const path of plan.contested) copyAside(trees, { from: mark.roots, to: asideFolder }, path, current);
  const outcome = await carryOutPlan(rewinding, plan, mark.roots);
  if (!dryRun) await trees.takeSnapshot("after");
  return { ...outcome, ...(asideFolder === undefined ? {} : { asideFolder }) };
}

async function carryOutPlan(
  { dryRun, onRestored, content }: TreeRewindOptions,
  plan: Plan,
  roots: readonly string[],
): Promise<TreeOutcome> {
  const restore = new Restore({ roots, dryRun, content, onRestored });
  const [files, folders] = [new Set<string>(), new Set<string>()];
  const outcome = { insertions: 0, deletions: 0, skipped: [...plan.skipped] };
  for (const step of plan.steps) {
    const restored = await restore.run(step);
    if (!restored.ok) {
      outcome.skipped.push({ path: step.path, reason: restored.reason });
      continue;
    }
    (step.to?.kind === "folder" || step.from?.kind === "folder" ? folders : files).add(step.path);
    outcome.insertions += restored.insertions;
    outcome.deletions += restored.deletions;
  }
  if (!dryRun) restore.closeFolders();
  const { foreign } = plan;
  // Only paths that were restored: the others still have their content.
  const contested = plan.contested.filter((path) => files.has(path) || folders.has(path));
  return { filesChanged: [...files], foldersChanged: [...folders], ...outcome, foreign, contested };
}

function isKeptAside(entry: TreeEntry | undefined): entry is Extract<TreeEntry, { kind: "file" | "link" }> {
  return entry?.kind === "file" || entry?.kind === "link";
}

/** Throws the system's error; then nothing is restored. */
function copyAside(
  trees: Trees,
  { from, to }: { from: readonly string[]; to: string | undefined },
  path: string,
  current: Tree,
): void {
  const entry = current.get(path);
  const root = from.find((folder) => isWithin(path, folder));
  if (to === undefined || root === undefined || !isKeptAside(entry)) return;
  const place = join(to, relative(root, path));
  makeFolders(dirname(place), 0o700);
  if (entry.kind === "link") return symlinkSync(systemPath(entry.target), systemPath(place));
  const bytes = trees.content(entry);
  if (bytes === undefined) throw new Error(`what ${path} holds could not be kept`);
  writeFileSync(systemPath(place), bytes, { mode: 0o600, flag: "wx" });
}
