/** Plans a rewind from how everything was and how it is now. Accesses no files, so a dry run and a real one plan alike. */
import { dirname } from "node:path";
import { isSameState, type UncoveredReason, type Tree, type TreeEntry } from "./entry.ts";

export interface PlanStep {
  path: string;
  /** The present state; undefined: nothing is there. */
  from: TreeEntry | undefined;
  /** The state to restore. */
  to: TreeEntry | undefined;
}

export interface Plan {
  steps: PlanStep[];
  /** Paths that only somebody else changed: they stay as they are. */
  foreign: string[];
  /** Paths that the work changed and somebody else changed afterwards: they are restored. */
  contested: string[];
  skipped: { path: string; reason: string }[];
}

export interface PlanInput {
  target: Tree;
  current: Tree;
  /** Paths that the work has changed since. */
  ownPaths: ReadonlySet<string>;
  /** Paths that somebody else changed after the work had. */
  otherPaths: ReadonlySet<string>;
  /** Paths that are restored in another way. */
  except: ReadonlySet<string>;
}

const uncoveredTexts: Record<UncoveredReason, string | undefined> = {
  ignored: undefined,
  packages: undefined,
  repository: undefined,
  worktree: undefined,
  own: undefined,
  special: "it is not a plain file",
  too_large: "it is too large to be kept",
  too_much: "there was more to keep than a snapshot takes",
  too_slow: "looking at everything took too long",
  network: "it lies on another machine",
  unreadable: "it cannot be read",
};

export function planRewind(input: PlanInput): Plan {
  const { target, current, ownPaths, otherPaths, except } = input;
  const plan: Plan = { steps: [], foreign: [], contested: [], skipped: [] };
  const wanted = new Map<string, PlanStep>();
  for (const path of new Set([...target.keys(), ...current.keys()])) {
    const [to, from] = [target.get(path), current.get(path)];
    if (except.has(path) || isSameState(from, to)) continue;
    const reason = reasonToLeave(path, input);
    if (reason === undefined) continue;
    if (reason !== "") plan.skipped.push({ path, reason });
    else if (!ownPaths.has(path)) plan.foreign.push(path);
    else {
      wanted.set(path, { path, from, to });
      if (otherPaths.has(path)) plan.contested.push(path);
    }
  }
  addMissingFolders(wanted, input);
  dropBlocked(wanted, input, plan);
  plan.steps = orderSteps([...wanted.values()]);
  return plan;
}

/** Returns an empty string if the path may be restored, and undefined if snapshots do not cover it. */
function reasonToLeave(path: string, { target, current }: PlanInput): string | undefined {
  for (const tree of [target, current]) {
    const entry = tree.get(path);
    if (entry?.kind === "left") return uncoveredTexts[entry.why];
  }
  for (let above = dirname(path); ; above = dirname(above)) {
    const [then, now] = [target.get(above), current.get(above)];
    if (then?.kind === "left") return undefined;
    if (now?.kind === "left") return uncoveredTexts[now.why] ?? "its folder is not covered any more";
    if ((then === undefined && now === undefined) || dirname(above) === above) return "";
  }
}

/** Folders that somebody else removed are restored together with their contents. */
function addMissingFolders(wanted: Map<string, PlanStep>, { target, current }: PlanInput): void {
  for (const { path, to } of wanted.values()) {
    if (to === undefined) continue;
    for (let above = dirname(path); !wanted.has(above); above = dirname(above)) {
      const folder = target.get(above);
      if (folder === undefined || current.get(above) !== undefined) break;
      wanted.set(above, { path: above, from: undefined, to: folder });
    }
  }
}

/** Removes a folder only if everything in it goes, and restores nothing below a path that stays something other than a folder. */
function dropBlocked(wanted: Map<string, PlanStep>, { target, current }: PlanInput, plan: Plan): void {
  const staying = new Set<string>();
  for (const path of current.keys()) {
    const step = wanted.get(path);
    if (step !== undefined && step.to === undefined) continue;
    for (let above = dirname(path); !staying.has(above) && current.has(above); above = dirname(above))
      staying.add(above);
  }
  for (const { path, from, to } of wanted.values()) {
    if (from?.kind !== "folder" || to?.kind === "folder" || !staying.has(path)) continue;
    wanted.delete(path);
    plan.skipped.push({ path, reason: "it contains something that is not put back" });
  }
  for (const { path, to } of wanted.values()) {
    const above = dirname(path);
    const isRoot = !target.has(above) && !current.has(above);
    if (to === undefined || isRoot || isFolderThen(above, wanted, current)) continue;
    wanted.delete(path);
    plan.skipped.push({ path, reason: "a folder of its path is something else now" });
  }
}

function isFolderThen(folder: string, wanted: Map<string, PlanStep>, current: Tree): boolean {
  const entry = wanted.has(folder) ? wanted.get(folder)?.to : current.get(folder);
  return entry?.kind === "folder";
}

/** Orders the steps: removals from the bottom up, then creations from the top down; folder modes last, because they may forbid the rest. */
function orderSteps(steps: PlanStep[]): PlanStep[] {
  const sorted = steps.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const going = sorted.filter(isRemoval).map((step) => ({ ...step, to: undefined }));
  const creations = sorted.filter(({ to }) => to !== undefined);
  const there = creations.map((step) => (isRemoval(step) ? { ...step, from: undefined } : step));
  const folders = there.filter(({ from, to }) => to?.kind === "folder" && from === undefined);
  const contents = there.filter(({ to }) => to?.kind !== "folder");
  const modes = there.filter(({ from, to }) => to?.kind === "folder" && from !== undefined);
  return [...going.toReversed(), ...folders, ...contents, ...modes.toReversed()];
}

/** Includes a path that becomes something of another kind. */
function isRemoval({ from, to }: PlanStep): boolean {
  return from !== undefined && from.kind !== to?.kind;
}
