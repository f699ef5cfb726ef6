/** Tells the changes of the session's work from those of others, by the snapshots between which each appeared. */
import { dirname } from "node:path";
import { isSameState, type SnapshotMark, type Tree, type TreeEntry } from "./entry.ts";
import { changeOf, isUnknownIn, type PathChange, type ReplayedLog } from "./tree-log.ts";

export interface AttributionInput {
  /** Of the snapshot to which the session goes back. */
  when: SnapshotMark["when"];
  replayed: ReplayedLog;
  current: Tree;
  /** Changes that tools announced. */
  announced: readonly { path: string }[];
}

export interface Attribution {
  /** Paths that the work has changed. */
  ownPaths: Set<string>;
  /** Paths that somebody else changed, after the work if that has changed them as well. */
  otherPaths: Set<string>;
}

/** A path that scans do not reach at present. */
interface UnknownPath {
  /** The state at the last scan that reached it. */
  from: TreeEntry | undefined;
  /** Who may have changed it since. */
  byWork: boolean;
  byOthers: boolean;
}

export function attributeChanges({ when, replayed, current, announced }: AttributionInput): Attribution {
  const attributing = new Attributing();
  let isWork = when === "before";
  for (const { changes, mark } of replayed.since) {
    attributing.addStep(changes, isWork);
    isWork = mark.when === "before";
  }
  attributing.addStep(changesBetween(replayed.tree, current), isWork);
  attributing.finish(current);
  const { ownPaths, otherPaths } = attributing;
  // A change that a tool announced belongs to the work, even in a turn without snapshots; so do the folders it made for it.
  for (const { path } of announced) {
    otherPaths.delete(path);
    for (let above = path; dirname(above) !== above; above = dirname(above)) ownPaths.add(above);
  }
  return { ownPaths, otherPaths };
}

class Attributing implements Attribution {
  readonly ownPaths = new Set<string>();
  readonly otherPaths = new Set<string>();
  readonly #unknown = new Map<string, UnknownPath>();

  addStep(changes: readonly PathChange[], isWork: boolean): void {
    for (const path of this.#unknown.values()) {
      path.byWork ||= isWork;
      path.byOthers ||= !isWork;
    }
    // Looked up before a folder above the path counts as reached.
    const unknowns = changes.map(({ path, from }) => this.#unknownAt(path, from));
    for (const [at, { path, from, to, isUnknown }] of changes.entries()) {
      const unknown = unknowns[at] ?? { from, byWork: isWork, byOthers: !isWork };
      if (isUnknown) this.#unknown.set(path, unknown);
      else this.#take(path, unknown, to);
    }
  }

  /** Undefined if the scan before reached the path. What is new in a folder may have come whenever scans did not reach that folder. */
  #unknownAt(path: string, from: TreeEntry | undefined): UnknownPath | undefined {
    const own = this.#unknown.get(path);
    if (own !== undefined || from !== undefined || this.#unknown.size === 0) return own;
    for (let above = dirname(path); ; above = dirname(above)) {
      const unknown = this.#unknown.get(above);
      if (unknown !== undefined) return { from, byWork: unknown.byWork, byOthers: unknown.byOthers };
      if (dirname(above) === above) return undefined;
    }
  }

  /** A path that is gone with a folder that scans did not reach appears in no later change. */
  finish(current: Tree): void {
    for (const [path, unknown] of this.#unknown)
      if (!isUnknownIn(current, path)) this.#take(path, unknown, current.get(path));
  }

  /** If both may have changed the path, it counts as changed by others after the work: a rewind then keeps their version as well. */
  #take(path: string, { from, byWork, byOthers }: UnknownPath, to: TreeEntry | undefined): void {
    const wasUnknown = this.#unknown.delete(path);
    if (wasUnknown && isSameState(from, to)) return;
    if (byWork) this.ownPaths.add(path);
    if (byOthers) this.otherPaths.add(path);
    else this.otherPaths.delete(path);
  }
}

function changesBetween(one: Tree, other: Tree): PathChange[] {
  const changed = Array.from(other.keys()).filter((path) => !isSameState(one.get(path), other.get(path)));
  const gone = Array.from(one.keys()).filter((path) => !other.has(path));
  return [...changed, ...gone].map((path) => changeOf(path, one.get(path), other));
}
