/** Carries out a plan, one path at a time. Each path is checked right before, and left alone if it is not in the planned state. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  type Stats,
} from "node:fs";
import { dirname } from "node:path";
import { temporaryPathBeside, writeFileAtomically } from "../../lib/atomic-write.ts";
import { decodeFileName, systemPath } from "../../lib/file-name.ts";
import { isWithin } from "../../lib/is-within.ts";
import { reasonOf } from "../../lib/system-reason.ts";
import { countLines, type LineCounts } from "./line-counts.ts";
import type { FileEntry, TreeEntry } from "./entry.ts";
import { digestOf } from "./pack.ts";
import type { PlanStep } from "./plan-rewind.ts";
import { readPlainFile } from "./read-plain.ts";

export interface RestoreOptions {
  roots: readonly string[];
  dryRun: boolean;
  content: (entry: FileEntry) => Buffer | undefined;
  onRestored: (path: string) => void;
}

export type RestoreResult = ({ ok: true } & LineCounts) | { ok: false; reason: string };

/** Lines are not counted in larger files: comparing them takes longer than restoring them. */
const maxCountedBytes = 1 << 20;
const changedByOthers = "it was changed by someone else at this very moment";

/** Folders that had to be made writable get their modes back with `closeFolders`. */
export class Restore {
  readonly #options: RestoreOptions;
  readonly #openedFolders = new Map<string, number>();

  constructor(options: RestoreOptions) {
    this.#options = options;
  }

  /** Never throws. */
  async run(step: PlanStep): Promise<RestoreResult> {
    const { dryRun, content, onRestored } = this.#options;
    try {
      const { path, from, to } = step;
      const wanted = to?.kind === "file" ? content(to) : undefined;
      if (to?.kind === "file" && wanted === undefined)
        return { ok: false, reason: "what was kept of it is gone or damaged" };
      const counts = await countsOf(path, from, to, wanted);
      if (dryRun) return { ok: true, ...counts };
      this.#assertInside(path);
      this.#openFolder(dirname(path));
      await this.#putEntry(step, wanted);
      onRestored(path);
      return { ok: true, ...counts };
    } catch (error) {
      return { ok: false, reason: reasonOf(error) };
    }
  }

  /** Never throws: a folder whose mode cannot be restored stays writable for its owner. */
  closeFolders(): void {
    for (const [folder, mode] of [...this.#openedFolders].toReversed()) {
      try {
        const stats = lstatSync(systemPath(folder));
        if (stats.isDirectory()) chmodSync(systemPath(folder), withoutNewSetIds(mode, stats));
      } catch {
        // The folder is gone, as planned.
      }
    }
  }

  async #putEntry({ path, from, to }: PlanStep, newContent: Buffer | undefined): Promise<void> {
    const raw = systemPath(path);
    const stats = assertUnchanged(path, from);
    if (to === undefined) return from?.kind === "folder" ? this.#removeFolder(path) : unlinkSync(raw);
    if (to.kind === "folder") return this.#putFolder(path, to.mode, from === undefined);
    if (to.kind === "link") return putLink(path, to.target, from);
    if (to.kind !== "file" || newContent === undefined) return;
    const mode = withoutNewSetIds(to.mode, stats);
    const beforeReplace = async (): Promise<void> => {
      this.#assertInside(path);
      assertUnchanged(path, from);
    };
    await writeFileAtomically(path, newContent, { mode, owner: stats, beforeReplace });
  }

  #removeFolder(path: string): void {
    this.#openedFolders.delete(path);
    rmdirSync(systemPath(path));
  }

  /** The folder's mode is set once everything in it is there. */
  #putFolder(path: string, mode: number, isNew: boolean): void {
    if (isNew) mkdirSync(systemPath(path), { mode: 0o700 });
    this.#openedFolders.set(path, mode);
  }

  /** Throws unless every parent, from the root on, is a folder and no link. */
  #assertInside(path: string): void {
    const root = this.#options.roots.find((folder) => isWithin(path, folder));
    if (root === undefined) throw new Error("it lies outside the working folders");
    if (path === root) return;
    if (realpathSync(root) !== root) throw new Error("its working folder is somewhere else now");
    for (let above = dirname(path); above !== root; above = dirname(above))
      if (!lstatSync(systemPath(above)).isDirectory()) throw new Error("a folder of its path is a symbolic link now");
  }

  #openFolder(folder: string): void {
    const stats = lstatSync(systemPath(folder), { throwIfNoEntry: false });
    if (stats === undefined || (stats.mode & 0o300) === 0o300) return;
    if (!this.#openedFolders.has(folder)) this.#openedFolders.set(folder, stats.mode & 0o7777);
    chmodSync(systemPath(folder), (stats.mode & 0o7777) | 0o700);
  }
}

/** Set-id bits are never taken from a record: an existing path keeps those it has, such as a folder that inherited its group's. */
function withoutNewSetIds(mode: number, stats: Stats | undefined): number {
  const isFolder = stats?.isDirectory() === true;
  return mode & ((isFolder ? 0o1777 : 0o777) | (stats?.mode ?? 0));
}

async function countsOf(
  path: string,
  from: TreeEntry | undefined,
  to: TreeEntry | undefined,
  newContent: Buffer | undefined,
): Promise<LineCounts> {
  const [before, after] = [from?.kind === "file" ? from : undefined, to?.kind === "file" ? to : undefined];
  if (before?.hash === after?.hash || Math.max(before?.size ?? 0, after?.size ?? 0) > maxCountedBytes)
    return { insertions: 0, deletions: 0 };
  const now = before === undefined ? undefined : readPlainFile(path, maxCountedBytes)?.bytes;
  return await countLines(now, newContent);
}

/** Throws if the path is no longer in the state it was scanned in. */
function assertUnchanged(path: string, entry: TreeEntry | undefined): Stats | undefined {
  const raw = systemPath(path);
  const stats = lstatSync(raw, { throwIfNoEntry: false });
  if (!matchesEntry(entry, stats, path, raw)) throw new Error(changedByOthers);
  return stats;
}

function matchesEntry(
  entry: TreeEntry | undefined,
  stats: Stats | undefined,
  path: string,
  raw: string | Buffer,
): boolean {
  if (entry === undefined || stats === undefined) return entry === undefined && stats === undefined;
  switch (entry.kind) {
    case "folder":
      return stats.isDirectory();
    case "link":
      return stats.isSymbolicLink() && decodeFileName(readlinkSync(raw, { encoding: "buffer" })) === entry.target;
    case "file":
      if (!stats.isFile() || stats.ino !== entry.ino || stats.size !== entry.size) return false;
      return stats.ctimeMs === entry.ctimeMs || hasSameContent(entry, stats, path);
    case "left":
      return false;
    default:
      return entry satisfies never;
  }
}

/** Restoring another hard link to the same file changes its time but not its content. */
function hasSameContent({ hash, mode, size }: FileEntry, stats: Stats, path: string): boolean {
  const now = readPlainFile(path, size);
  return now !== undefined && (stats.mode & 0o7777) === mode && digestOf(now.bytes) === hash;
}

function putLink(path: string, target: string, from: TreeEntry | undefined): void {
  const temporary = systemPath(temporaryPathBeside(path));
  symlinkSync(systemPath(target), temporary);
  try {
    assertUnchanged(path, from);
    renameSync(temporary, systemPath(path));
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
}
