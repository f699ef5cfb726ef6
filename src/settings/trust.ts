/** The folders the user trusts, by real path and by a hash of the content that would run, kept in a file of the user's own. */
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { writeFileAtomically } from "../lib/atomic-write.ts";
import { isBrokenLink, realPathOf } from "../lib/path-status.ts";
import { lockLimitMs, withFileLock } from "../lib/file-lock.ts";
import { isRecord } from "../lib/is-record.ts";
import { tryParseJson } from "../lib/try-parse-json.ts";
import { makeFolders } from "../lib/make-folders.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import { UsageError } from "../lib/usage-error.ts";

export interface TrustedFolder {
  /** Real path. */
  folder: string;
  /** The hash of the content that was there when the folder was trusted. */
  hash: string;
  /** ISO 8601. */
  at: string;
}

const maxTrustFileBytes = 4 * 1024 * 1024;

export function trustFile(pawlHome: string): string {
  return join(pawlHome, "trust.json");
}

/** Returns an empty list if there is no file. A file that cannot be understood trusts nobody: throws a `UsageError`. */
export function readTrust(pawlHome: string): TrustedFolder[] {
  return trustEntries(readTrustFile(pawlHome)).filter(isTrustedFolder);
}

function trustEntries({ folders }: Record<string, unknown>): unknown[] {
  return Array.isArray(folders) ? folders : [];
}

function readTrustFile(pawlHome: string): Record<string, unknown> {
  const path = trustFile(pawlHome);
  const read = readRegularFile(path, maxTrustFileBytes);
  if (!read.ok && read.code === "ENOENT" && !isBrokenLink(path)) return {};
  if (!read.ok) throw new UsageError(`${path} cannot be read (${read.why}): no folder is trusted until it can.`);
  const value = tryParseJson(read.text);
  if (value === undefined)
    throw new UsageError(`${path} is not valid JSON: no folder is trusted until it is fixed or removed.`);
  return isRecord(value) ? value : {};
}

function isTrustedFolder(value: unknown): value is TrustedFolder {
  if (!isRecord(value)) return false;
  const { folder, hash, at } = value;
  return typeof folder === "string" && typeof hash === "string" && typeof at === "string";
}

export async function addTrust(pawlHome: string, folder: string, hash: string, at: string): Promise<void> {
  const real = realpathSync(folder);
  await withTrustLock(pawlHome, async () => {
    await writeTrust(pawlHome, new Set([real]), { folder: real, hash, at });
  });
}

/** Returns false if the folder was not trusted. */
export async function revokeTrust(pawlHome: string, folder: string): Promise<boolean> {
  const names = new Set([resolve(folder), realPathOf(folder) ?? resolve(folder)]);
  if (!readTrust(pawlHome).some((entry) => names.has(entry.folder))) return false;
  await withTrustLock(pawlHome, async () => {
    await writeTrust(pawlHome, names);
  });
  return true;
}

/** Runs one change at a time across all sessions, so that each starts from the result of the one before. */
async function withTrustLock(pawlHome: string, change: () => Promise<void>): Promise<void> {
  makeFolders(pawlHome, 0o700);
  await withFileLock(`${trustFile(pawlHome)}.lock`, lockLimitMs, change);
}

/** Replaces the entries of `names` with `added`. Whatever a newer version wrote besides and among the entries is kept. */
async function writeTrust(pawlHome: string, names: ReadonlySet<unknown>, added?: TrustedFolder): Promise<void> {
  const file = readTrustFile(pawlHome);
  const others = trustEntries(file).filter((entry) => !(isRecord(entry) && names.has(entry["folder"])));
  const folders = added === undefined ? others : [...others, added];
  const text = `${JSON.stringify({ ...file, folders }, null, 2)}\n`;
  await writeFileAtomically(trustFile(pawlHome), Buffer.from(text), { mode: 0o600, flush: true });
}

/** A work tree of a trusted repository is trusted if its content is the same. */
export function isTrusted(trusted: readonly TrustedFolder[], folder: string, hash: string): boolean {
  const real = realPathOf(folder) ?? resolve(folder);
  const main = folderInMainWorktree(real);
  return trusted.some((entry) => entry.hash === hash && (entry.folder === real || entry.folder === main));
}

/** The corresponding folder in the main work tree, as a real path; undefined if the folder is in no other work tree. */
export function folderInMainWorktree(folder: string): string | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const main = mainWorktree(top);
    if (main !== undefined) return join(main, relative(top, folder));
    if (dirname(top) === top || existsSync(join(top, ".git"))) return undefined;
  }
}

/** The main work tree, only if the repository itself lists this work tree: a work tree's own claim proves nothing. */
export function mainWorktree(folder: string): string | undefined {
  const own = join(folder, ".git");
  const pointer = readPointerFile(own)?.match(/^gitdir: (.+?)\s*$/u)?.[1];
  // The real path: behind a link, a relative path in the entry would lead elsewhere.
  const entry = pointer === undefined ? undefined : realPathOf(resolve(folder, pointer));
  if (entry === undefined) return undefined;
  const gitFilePath = readPointerFile(join(entry, "gitdir"))?.trim() ?? "";
  const repository = dirname(dirname(entry));
  const isListed = dirname(entry) === join(repository, "worktrees") && repository.endsWith("/.git");
  // With worktree.useRelativePaths, each refers to the other relative to its own place.
  return isListed && resolve(entry, gitFilePath) === own ? dirname(repository) : undefined;
}

function readPointerFile(path: string): string | undefined {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  } catch {
    // The text may come from anybody and need not be a path.
    return undefined;
  }
  const read = readRegularFile(path, 4_096);
  return read.ok ? read.text : undefined;
}
