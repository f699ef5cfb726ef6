/**
 * One scan of everything in the working folders, top folders first. Entries that have not changed since the last scan are copied from it;
 * changed files are read and stored. Nothing is run, no link is followed, and only pawl's own files are written.
 */
import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { join, sep } from "node:path";
import { decodeFileName, systemPath } from "../../lib/file-name.ts";
import {
  isUnchanged,
  type Place,
  type Tree,
  type TreeEntry,
  type UncoveredEntry,
  type UncoveredReason,
} from "./entry.ts";
import type { IgnoreRules } from "./ignore-rules.ts";
import { isTorn, readPlainFile } from "./read-plain.ts";

export interface ScanLimits {
  /** Files, folders and links. */
  entries: number;
  /** Per file. */
  fileBytes: number;
  /** Newly read per scan. */
  totalBytes: number;
  /** Per scan. */
  ms: number;
}

export const defaultScanLimits: ScanLimits = {
  entries: 100_000,
  fileBytes: 32 << 20,
  totalBytes: 1 << 30,
  ms: 5_000,
};

export interface ScanJob {
  /** Absolute paths without links, none inside another. */
  roots: readonly string[];
  /** Folders of pawl's own, never looked into. */
  ownFolders: ReadonlySet<string>;
  /** Network folders, never accessed: an access may not return, and would block the whole process. */
  network: ReadonlySet<string>;
  /** The last scan. A folder in it is looked into even if it is ignored by now. */
  previous: Tree;
  /** Limits the scan to what this tree covers, for a comparison with it. */
  limitTo?: Tree;
  rules: ReadonlyMap<string, IgnoreRules>;
  /** Whether to read what the last scan did not reach. Asked for each such path. */
  coversMore: () => boolean;
  limits: ScanLimits;
  /** ms since some moment. */
  elapsed: () => number;
  /** A file changed after this file system time may change again without a visible difference. */
  racyFromMs: number;
  /** Returns where the content is stored; undefined: it is only looked at. Throws the system's error. */
  storeContent: (bytes: Uint8Array, hash: string) => Place | undefined;
  digest: (bytes: Uint8Array) => string;
}

/** Reading takes longer, so each file that is read ends its step. */
const namesPerStep = 32;
const maxPointerBytes = 4096;

/** Folder names that are never looked into: data of version control and packages. */
const packageFolders = new Set(["node_modules", "bower_components", "site-packages"]);
const controlFolders = new Set([".git", ".hg", ".svn", ".jj"]);

/** Reasons that another scan may do away with: it gets further. */
const unreachedReasons: ReadonlySet<UncoveredReason> = new Set(["too_slow", "too_much"]);

/** Yields after every few files, so that other work gets its turn. */
export function* scanSteps(job: ScanJob): Generator<void, Tree> {
  const scan = new Scan(job);
  for (const rules of job.rules.values()) rules.refresh();
  for (const root of job.roots) scan.addRoot(root);
  while (scan.step()) yield;
  return scan.tree;
}

class Scan {
  readonly tree: Tree = new Map();
  readonly #job: ScanJob;
  readonly #endsAt: number;
  /** Folders still to look into, with the ignore rules of their root. */
  readonly #open: { folder: string; rules: IgnoreRules | undefined }[] = [];
  #next = 0;
  /** The names in the current folder, and the index of the next one. */
  #names: string[] = [];
  #at = 0;
  #start = "";
  #rules: IgnoreRules | undefined;
  #bytes = 0;

  constructor(job: ScanJob) {
    this.#job = job;
    this.#endsAt = job.elapsed() + job.limits.ms;
  }

  addRoot(root: string): void {
    const stats = lstatSync(root, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) this.#enter(root, stats, this.#job.rules.get(root));
  }

  /** Handles some names of a folder, or lists the next folder. Returns false if there is nothing left. */
  step(): boolean {
    if (this.#at >= this.#names.length) return this.#enterNext();
    if (this.#isLate()) this.#recordRestUncovered(this.#at);
    const bytes = this.#bytes;
    for (let count = 0; count < namesPerStep && bytes === this.#bytes; count++) {
      const name = this.#names[this.#at++];
      if (name === undefined) break;
      this.#scanPath(this.#start + name, name, this.#rules);
    }
    return true;
  }

  #enterNext(): boolean {
    this.#names = [];
    const next = this.#open[this.#next++];
    if (next === undefined) return false;
    const { folder, rules } = next;
    const cut = this.#limitReached();
    const names = cut === undefined ? namesIn(folder) : undefined;
    if (names === undefined) this.#recordUncovered(folder, cut ?? "unreadable");
    // Even its names would be too many to record.
    else if (this.tree.size + names.length > this.#job.limits.entries) this.#recordUncovered(folder, "too_much");
    else if (names.includes(".git") && !this.#job.roots.includes(folder) && isOtherWorktree(folder))
      this.#recordUncovered(folder, "worktree");
    else this.#begin(folder, names, rules);
    return true;
  }

  #begin(folder: string, names: string[], rules: IgnoreRules | undefined): void {
    if (names.includes(".gitignore")) rules?.readFolder(folder);
    this.#names = names;
    this.#at = 0;
    this.#rules = rules;
    this.#start = folder.endsWith(sep) ? folder : folder + sep;
  }

  #limitReached(): UncoveredReason | undefined {
    if (this.tree.size >= this.#job.limits.entries) return "too_much";
    return this.#isLate() ? "too_slow" : undefined;
  }

  #isLate(): boolean {
    return this.#job.elapsed() >= this.#endsAt;
  }

  /** Records them by name: looking at each would take time. */
  #recordRestUncovered(from: number): void {
    for (const name of this.#names.slice(from))
      this.#recordUncovered(this.#start + name, controlFolders.has(name) ? "repository" : "too_slow");
    this.#names = [];
  }

  #recordUncovered(path: string, why: UncoveredReason, stats?: Stats): void {
    this.tree.set(
      path,
      stats === undefined ? { kind: "left", why } : { kind: "left", why, size: stats.size, mtimeMs: stats.mtimeMs },
    );
  }

  #enter(folder: string, stats: Stats, rules: IgnoreRules | undefined): void {
    this.tree.set(folder, { kind: "folder", mode: stats.mode & 0o7777 });
    this.#open.push({ folder, rules });
  }

  #scanPath(path: string, name: string, rules: IgnoreRules | undefined): void {
    if (this.#job.network.has(path)) return this.#recordUncovered(path, "network");
    const raw = systemPath(path);
    let stats: Stats | undefined;
    try {
      stats = lstatSync(raw, { throwIfNoEntry: false });
    } catch {
      return this.#recordUncovered(path, "unreadable");
    }
    // Removed since its folder was listed.
    if (stats === undefined) return;
    if (stats.isDirectory()) this.#scanFolder(path, name, stats, rules);
    else if (controlFolders.has(name)) this.#recordUncovered(path, "repository");
    else if (stats.isSymbolicLink()) this.#scanLink(path, raw);
    else if (!stats.isFile()) this.#recordUncovered(path, "special");
    else this.#scanFile(path, stats);
  }

  #scanFolder(path: string, name: string, stats: Stats, rules: IgnoreRules | undefined): void {
    const { ownFolders, previous, limitTo } = this.#job;
    if (ownFolders.has(path)) return this.#recordUncovered(path, "own");
    if (controlFolders.has(name)) return this.#recordUncovered(path, "repository");
    const before = limitTo?.get(path) ?? previous.get(path);
    const isKnown = before?.kind === "folder";
    if (limitTo?.get(path)?.kind === "left") return this.#recordUncovered(path, "ignored");
    if (this.#staysUnreached(before)) return this.#recordUncovered(path, before.why);
    if (packageFolders.has(name)) return this.#recordUncovered(path, "packages");
    if (!isKnown && rules?.isIgnored(path) === true) return this.#recordUncovered(path, "ignored");
    this.#enter(path, stats, rules);
  }

  #scanLink(path: string, raw: string | Buffer): void {
    try {
      this.tree.set(path, { kind: "link", target: decodeFileName(readlinkSync(raw, { encoding: "buffer" })) });
    } catch {
      this.#recordUncovered(path, "unreadable");
    }
  }

  #staysUnreached(before: TreeEntry | undefined): before is UncoveredEntry {
    return before?.kind === "left" && unreachedReasons.has(before.why) && !this.#job.coversMore();
  }

  #scanFile(path: string, stats: Stats): void {
    const before = this.#job.previous.get(path);
    if (before?.kind === "file" && isUnchanged(before, stats)) {
      this.tree.set(path, before);
      return;
    }
    if (this.#staysUnreached(before))
      return this.#recordUncovered(path, before.why, before.size === undefined ? undefined : stats);
    const { fileBytes, totalBytes } = this.#job.limits;
    if (stats.size > fileBytes) return this.#recordUncovered(path, "too_large", stats);
    if (this.#bytes + stats.size > totalBytes) return this.#recordUncovered(path, "too_much", stats);
    const entry = this.#read(path, before);
    if (entry === undefined) this.#recordUncovered(path, "unreadable", stats);
    else this.tree.set(path, entry);
  }

  /** Returns undefined if the file cannot be read; throws if its content cannot be stored. */
  #read(path: string, before: TreeEntry | undefined): TreeEntry | undefined {
    const { digest, storeContent, racyFromMs, limits } = this.#job;
    const read = readPlainFile(path, limits.fileBytes);
    if (read === undefined) return undefined;
    const { bytes, stats } = read;
    this.#bytes += bytes.length;
    const hash = digest(bytes);
    const known = before?.kind === "file" && before.hash === hash ? before.place : undefined;
    const place = known ?? storeContent(bytes, hash);
    const isRacy = isTorn(read) || stats.ctimeMs >= racyFromMs || stats.mtimeMs >= racyFromMs;
    return {
      kind: "file",
      mode: stats.mode & 0o7777,
      size: bytes.length,
      ino: stats.ino,
      mtimeMs: isRacy ? -1 : stats.mtimeMs,
      ctimeMs: stats.ctimeMs,
      hash,
      ...(place === undefined ? {} : { place }),
    };
  }
}

function namesIn(folder: string): string[] | undefined {
  try {
    const raw = systemPath(folder);
    const names = readdirSync(raw);
    // The replacement character may stand for bytes that are not valid UTF-8.
    return names.some((name) => name.includes("\ufffd"))
      ? readdirSync(raw, { encoding: "buffer" }).map(decodeFileName)
      : names;
  } catch {
    return undefined;
  }
}

/** Whether the folder is another branch's work tree: somebody else's work, with a pointer in place of a repository. */
function isOtherWorktree(folder: string): boolean {
  const pointer = readPlainFile(join(folder, ".git"), maxPointerBytes);
  return pointer !== undefined && /^gitdir: .*[/\\]worktrees[/\\]/u.test(pointer.bytes.toString("utf8"));
}
