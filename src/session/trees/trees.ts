/**
 * Snapshots of the working folders: one before the first call of a prompt that may change anything, one after its last call. Contents are
 * stored once for all sessions of a folder; each session's log says which of them it needs.
 */
import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { freeBytesOf } from "../../lib/free-bytes.ts";
import { isFolder, realPathOf } from "../../lib/path-status.ts";
import { isWithin } from "../../lib/is-within.ts";
import type { Transcript } from "../../transcript/index.ts";
import { snapshotLogPath, snapshotsFolder } from "../../transcript/paths.ts";
import { loadBase, newestBase, packsOf, saveBase, type Base } from "./bases.ts";
import type { FileEntry, SnapshotMark, Place, Tree } from "./entry.ts";
import { IgnoreRules } from "./ignore-rules.ts";
import { contentOf, digestOf, packBytes, PackWriter } from "./pack.ts";
import { networkPlaces } from "./network-places.ts";
import { defaultScanLimits, scanSteps, type ScanJob, type ScanLimits } from "./scan.ts";
import {
  appendLine,
  fileSystemTime,
  replayLog,
  treeDifference,
  type ReplayedLog,
  type TreeDifference,
} from "./tree-log.ts";

export interface TreesOptions {
  transcript: Transcript;
  /** Folders the session works in. Absolute. */
  roots: () => readonly string[];
  home: string;
  pawlHome: string;
  /** Flush contents to the disk before the change. */
  flush: boolean;
  clock: { elapsed: () => number; now: () => number };
  limits?: Partial<ScanLimits>;
  /** Folders mounted from another machine; absolute. */
  networkPlaces?: () => ReadonlySet<string>;
  /** Free bytes on the disk of a folder; undefined: unknown. */
  freeBytes?: (folder: string) => number | undefined;
}

/** How long one stretch of scanning may block everything else, in ms. */
const maxBlockingMs = 8;
/** If one scan stores this much plus the size of the tree, later sessions should not store it again. */
const largeScanBytes = 8 << 20;
const bytesOfEntry = 256;
/** The share of the free space that contents may take: transcripts and everything else need the rest. */
const maxShareOfFree = 0.5;
/** The share for a scan once as much is stored as is free. Changes during work are mostly small. */
const shareWhenFull = 1 / 64;
/** Two changes of a file within this time may get the same timestamp on common file systems. */
const timestampResolutionMs = 40;

export class Trees {
  readonly #options: TreesOptions;
  readonly #folder: string;
  readonly #logPath: string;
  readonly #rules = new Map<string, IgnoreRules>();
  readonly #neededPacks = new Set<string>();
  #state: { tree: Tree; mark: number } | undefined;
  #writer: PackWriter | undefined;
  /** In the present scan. */
  #storedBytes = 0;
  #lastSnapshot: Promise<unknown> = Promise.resolve();
  #isClosing = false;

  constructor(options: TreesOptions) {
    this.#options = options;
    this.#folder = snapshotsFolder(options.transcript.path);
    this.#logPath = snapshotLogPath(options.transcript.path);
  }

  /** Scans everything and records the snapshot. Throws the system's error if it cannot be written. */
  takeSnapshot(when: SnapshotMark["when"]): Promise<TakenSnapshot> {
    const taking = this.#lastSnapshot.then(() => this.#takeSnapshot(when));
    // One at a time: a background agent may still be running when the next prompt starts.
    this.#lastSnapshot = taking.catch(() => {
      this.#writer?.abandon();
      this.#writer = undefined;
    });
    return taking;
  }

  async #takeSnapshot(when: SnapshotMark["when"]): Promise<TakenSnapshot> {
    const roots = this.#roots();
    const last = (this.#state ??= this.#readState());
    this.#storedBytes = 0;
    const base = last.mark === 0 ? newestBase(this.#folder, new Date(this.#options.clock.now())) : undefined;
    const tree = await this.#scan(roots, base?.tree ?? last.tree);
    // Contents are written before the line that refers to them.
    this.#writer?.finish(this.#options.flush);
    const mark = { number: last.mark + 1, when, roots };
    const start = last.mark === 0 ? this.#startLog(tree, base) : { changes: treeDifference(last.tree, tree), uses: [] };
    const uses = [...start.uses, ...packsOf(tree)].filter((name) => !this.#neededPacks.has(name));
    appendLine(this.#logPath, { ...mark, uses, base: start.base, ...start.changes }, this.#options.flush);
    for (const name of uses) this.#neededPacks.add(name);
    this.#writer?.markNeeded();
    this.#state = { tree, mark: mark.number };
    if (last.mark > 0 && this.#isLarge(tree)) this.#saveBaseForLater(tree);
    return { mark: mark.number, tree };
  }

  /**
   * The session closes: the last snapshots, also one in progress, skip what earlier ones did not reach. Reading it may take seconds,
   * and no later prompt of this session needs it.
   */
  close(): void {
    this.#isClosing = true;
  }

  /** Scans the present state, limited to what `target` covers, without storing contents. */
  async scanWithoutRecording(target: Tree, previous: Tree, roots: readonly string[]): Promise<Tree> {
    return await this.#scan(roots, previous, target);
  }

  replayed(at: number): ReplayedLog {
    return replayLog(this.#logPath, (name) => loadBase(this.#folder, name), at);
  }

  content(entry: FileEntry): Buffer | undefined {
    return contentOf(this.#folder, entry);
  }

  /** Returns the folders that are too wide to be covered. */
  tooWideRoots(): string[] {
    return this.#options.roots().filter((root) => this.#isTooWide(realFolder(root) ?? root));
  }

  #readState(): { tree: Tree; mark: number } {
    const { tree, marks } = replayLog(this.#logPath, (name) => loadBase(this.#folder, name));
    return { tree, mark: marks.reduce((most, { number }) => Math.max(most, number), 0) };
  }

  /** Returns how the first line of a log starts: from an existing base if it fits, or else from a new one. */
  #startLog(tree: Tree, base: Base | undefined): LogStart {
    if (base?.isWhole === true && !this.#isLarge(tree)) {
      const changes = treeDifference(base.tree, tree);
      if (changes.put.length + changes.gone.length <= 50 + tree.size / 5)
        return { changes, uses: [base.name, ...packsOf(base.tree)], base: base.name };
    }
    const name = saveBase(this.#folder, tree, this.#options.flush);
    return { changes: { put: [], gone: [] }, uses: [name], base: name };
  }

  /** Saves a base for sessions that start later. This session does not need it. */
  #saveBaseForLater(tree: Tree): void {
    try {
      saveBase(this.#folder, tree, this.#options.flush);
    } catch {
      // Later sessions then store it themselves.
    }
  }

  #isLarge(tree: Tree): boolean {
    return this.#storedBytes > largeScanBytes + tree.size * bytesOfEntry;
  }

  async #scan(roots: readonly string[], previous: Tree, limitTo?: Tree): Promise<Tree> {
    const { clock, pawlHome } = this.#options;
    for (const root of roots) if (!this.#rules.has(root)) this.#rules.set(root, new IgnoreRules(root));
    // First, since this creates the folder whose free space is queried.
    const racyFromMs = fileSystemTime(this.#logPath) - timestampResolutionMs;
    const steps = scanSteps({
      roots,
      ownFolders: new Set([pawlHome, realFolder(pawlHome) ?? pawlHome]),
      network: (this.#options.networkPlaces ?? networkPlaces)(),
      previous,
      ...(limitTo === undefined ? {} : { limitTo }),
      rules: this.#rules,
      coversMore: () => !this.#isClosing,
      limits: limitTo === undefined ? this.#limits() : { ...defaultScanLimits, ...this.#options.limits },
      elapsed: clock.elapsed,
      racyFromMs,
      digest: digestOf,
      storeContent: limitTo === undefined ? this.#keeper(previous) : () => undefined,
    });
    for (;;) {
      const until = clock.elapsed() + maxBlockingMs;
      do {
        const step = steps.next();
        if (step.done === true) return step.value;
      } while (clock.elapsed() < until);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  #limits(): ScanLimits {
    const { limits, freeBytes = freeBytesOf } = this.#options;
    const scanLimits = { ...defaultScanLimits, ...limits };
    const free = freeBytes(dirname(this.#logPath)) ?? Infinity;
    if (free * maxShareOfFree >= scanLimits.totalBytes) return scanLimits;
    // Every scan takes its share: without subtracting what is stored already, a few scans would take everything.
    const share = Math.max((free - packBytes(this.#folder)) * maxShareOfFree, free * shareWhenFull);
    return { ...scanLimits, totalBytes: Math.min(scanLimits.totalBytes, share) };
  }

  /** Contents that are already stored for another path are not stored again. */
  #keeper(previous: Tree): ScanJob["storeContent"] {
    let known: Map<string, Place> | undefined;
    return (bytes, hash) => {
      known ??= placesOf(previous);
      const place = known.get(hash) ?? this.#store(bytes);
      known.set(hash, place);
      return place;
    };
  }

  #store(bytes: Uint8Array): Place {
    const place = (this.#writer ??= new PackWriter(this.#folder, randomUUID())).add(bytes);
    this.#storedBytes += place.storedBytes;
    return place;
  }

  #roots(): string[] {
    const real = this.#options.roots().flatMap((root) => realFolder(root) ?? []);
    const covered = [...new Set(real)].filter((root) => !this.#isTooWide(root));
    return covered.filter((root) => !covered.some((other) => other !== root && isWithin(root, other)));
  }

  /** A home folder is not a project, and neither are its parents. */
  #isTooWide(root: string): boolean {
    const { home } = this.#options;
    return isWithin(home, root) || isWithin(realFolder(home) ?? home, root);
  }
}

interface LogStart {
  changes: TreeDifference;
  /** The packs and bases of what it starts from. */
  uses: string[];
  /** Undefined: the line starts from the one before. */
  base?: string;
}

export interface TakenSnapshot {
  mark: number;
  tree: Tree;
}

function placesOf(tree: Tree): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const entry of tree.values())
    if (entry.kind === "file" && entry.place !== undefined) places.set(entry.hash, entry.place);
  return places;
}

function realFolder(path: string): string | undefined {
  const real = realPathOf(path);
  return real !== undefined && isFolder(real) ? real : undefined;
}
