/** From how everything was and how it is now to what a rewind does about it. It looks at nothing: a dry run and a real one plan alike. */
import { dirname } from "node:path";
import { isSameState, type LeftReason, type Tree, type TreeEntry } from "./entry.ts";

export interface PlanStep {
  path: string;
  /** As it is now; undefined: nothing is there. */
  from: TreeEntry | undefined;
  /** As it is to be. */
  to: TreeEntry | undefined;
}

export interface Plan {
  steps: PlanStep[];
  /** Changed by somebody else alone: they stay as they are. */
  foreign: string[];
  /** Changed by the work and by somebody else afterwards: they are put back. */
  contested: string[];
  skipped: { path: string; reason: string }[];
}

export interface PlanInput {
  target: Tree;
  current: Tree;
  /** What the work since has changed. */
  own: ReadonlySet<string>;
  /** What somebody else has changed after the work had. */
  others: ReadonlySet<string>;
  /** Put back in another way. */
  except: ReadonlySet<string>;
}

const leftTexts: Record<LeftReason, string | undefined> = {
  ignored: undefined,
  packages: undefined,
  repository: undefined,
  worktree: undefined,
  own: undefined,
  special: "it is no plain file",
  too_large: "it is too large to be kept",
  too_much: "there was more to keep than a snapshot takes",
  too_slow: "looking at everything took too long",
  network: "it lies on another machine",
  unreadable: "it cannot be read",
};

export function planRewind(input: PlanInput): Plan {
  const { target, current, own, others, except } = input;
  const plan: Plan = { steps: [], foreign: [], contested: [], skipped: [] };
  const wanted = new Map<string, PlanStep>();
  for (const path of new Set([...target.keys(), ...current.keys()])) {
    const [to, from] = [target.get(path), current.get(path)];
    if (except.has(path) || isSameState(from, to)) continue;
    const why = reasonToLeave(path, input);
    if (why === undefined) continue;
    if (why !== "") plan.skipped.push({ path, reason: why });
    else if (!own.has(path)) plan.foreign.push(path);
    else {
      wanted.set(path, { path, from, to });
      if (others.has(path)) plan.contested.push(path);
    }
  }
  addMissingFolders(wanted, input);
  dropBlocked(wanted, input, plan);
  plan.steps = inOrder([...wanted.values()]);
  return plan;
}

/** Empty: nothing speaks against putting it back. Undefined: it is none of a snapshot's business. */
function reasonToLeave(path: string, { target, current }: PlanInput): string | undefined {
  for (const tree of [target, current]) {
    const entry = tree.get(path);
    if (entry?.kind === "left") return leftTexts[entry.why];
  }
  for (let above = dirname(path); ; above = dirname(above)) {
    const [then, now] = [target.get(above), current.get(above)];
    if (then?.kind === "left") return undefined;
    if (now?.kind === "left") return leftTexts[now.why] ?? "its folder is not covered any more";
    if ((then === undefined && now === undefined) || dirname(above) === above) return "";
  }
}

/** Folders that somebody else has removed come back with what belongs into them. */
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

/** A folder goes only where all that is in it goes, and nothing comes back below what stays something else. */
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
    plan.skipped.push({ path, reason: "it holds what is not put back" });
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

/** What goes, from below; then what comes, from above; modes of folders last, because they may forbid all that. */
function inOrder(steps: PlanStep[]): PlanStep[] {
  const sorted = steps.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const going = sorted.filter(isGoing).map((step) => ({ ...step, to: undefined }));
  const coming = sorted.filter(({ to }) => to !== undefined);
  const there = coming.map((step) => (isGoing(step) ? { ...step, from: undefined } : step));
  const folders = there.filter(({ from, to }) => to?.kind === "folder" && from === undefined);
  const contents = there.filter(({ to }) => to?.kind !== "folder");
  const modes = there.filter(({ from, to }) => to?.kind === "folder" && from !== undefined);
  return [...going.toReversed(), ...folders, ...contents, ...modes.toReversed()];
}

/** Also what is to become something of another kind. */
function isGoing({ from, to }: PlanStep): boolean {
  return from !== undefined && from.kind !== to?.kind;
}
