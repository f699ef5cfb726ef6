/** Which folders the user trusts, by real path and by the content that would run: in a file of the user's own. */
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { writeFileAtomically } from "../lib/atomic-write.ts";
import { isBrokenLink, realPathOf } from "../lib/disk-look.ts";
import { lockLimitMs, withFileLock } from "../lib/file-lock.ts";
import { isRecord } from "../lib/is-record.ts";
import { jsonIn } from "../lib/json-in.ts";
import { makeFolders } from "../lib/make-folders.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import { UsageError } from "../lib/usage-error.ts";

export interface TrustedFolder {
  /** Real path. */
  folder: string;
  /** Of what was there when it was trusted. */
  hash: string;
  /** ISO 8601. */
  at: string;
}

const maxBytes = 4 * 1024 * 1024;

export function trustFile(pawlHome: string): string {
  return join(pawlHome, "trust.json");
}

/** Nothing where there is no file. A file that cannot be understood trusts nobody: throws a `UsageError`. */
export function readTrust(pawlHome: string): TrustedFolder[] {
  return entriesIn(readFile(pawlHome)).filter(isEntry);
}

function entriesIn({ folders }: Record<string, unknown>): unknown[] {
  return Array.isArray(folders) ? folders : [];
}

function readFile(pawlHome: string): Record<string, unknown> {
  const path = trustFile(pawlHome);
  const read = readRegularFile(path, maxBytes);
  if (!read.ok && read.code === "ENOENT" && !isBrokenLink(path)) return {};
  if (!read.ok) throw new UsageError(`${path} cannot be read (${read.why}): no folder is trusted until it can.`);
  const value = jsonIn(read.text);
  if (value === undefined)
    throw new UsageError(`${path} is no JSON: no folder is trusted until it is mended or removed.`);
  return isRecord(value) ? value : {};
}

function isEntry(value: unknown): value is TrustedFolder {
  if (typeof value !== "object" || value === null) return false;
  const { folder, hash, at } = value as Partial<TrustedFolder>;
  return typeof folder === "string" && typeof hash === "string" && typeof at === "string";
}

export async function addTrust(pawlHome: string, folder: string, hash: string, at: string): Promise<void> {
  const real = realpathSync(folder);
  await changing(pawlHome, async () => {
    await writeTrust(pawlHome, new Set([real]), { folder: real, hash, at });
  });
}

/** False where it was not trusted. */
export async function revokeTrust(pawlHome: string, folder: string): Promise<boolean> {
  const names = new Set([resolve(folder), realPathOf(folder) ?? resolve(folder)]);
  if (!readTrust(pawlHome).some((entry) => names.has(entry.folder))) return false;
  await changing(pawlHome, async () => {
    await writeTrust(pawlHome, names);
  });
  return true;
}

/** One at a time, of all sessions: each begins with what the one before left. */
async function changing(pawlHome: string, change: () => Promise<void>): Promise<void> {
  makeFolders(pawlHome, 0o700);
  await withFileLock(`${trustFile(pawlHome)}.lock`, lockLimitMs, change);
}

/** `added` takes the place of what is there of `names`. What a newer version wrote beside and among them stays. */
async function writeTrust(pawlHome: string, names: ReadonlySet<unknown>, added?: TrustedFolder): Promise<void> {
  const file = readFile(pawlHome);
  const others = entriesIn(file).filter((entry) => !(isRecord(entry) && names.has(entry["folder"])));
  const folders = added === undefined ? others : [...others, added];
  const text = `${JSON.stringify({ ...file, folders }, null, 2)}\n`;
  await writeFileAtomically(trustFile(pawlHome), Buffer.from(text), { mode: 0o600, flush: true });
}

/** A work tree of a trusted repository is trusted where it holds the same. */
export function isTrusted(trusted: readonly TrustedFolder[], folder: string, hash: string): boolean {
  const real = realPathOf(folder) ?? resolve(folder);
  const main = inMainWorktree(real);
  return trusted.some((entry) => entry.hash === hash && (entry.folder === real || entry.folder === main));
}

/** The folder that corresponds to this one in the main work tree; undefined where it lies in no other one. A real path. */
export function inMainWorktree(folder: string): string | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const main = mainWorktree(top);
    if (main !== undefined) return join(main, relative(top, folder));
    if (dirname(top) === top || existsSync(join(top, ".git"))) return undefined;
  }
}

/** Only where the repository itself names the work tree: what the work tree says of itself proves nothing. */
export function mainWorktree(folder: string): string | undefined {
  const own = join(folder, ".git");
  const pointer = textOf(own)?.match(/^gitdir: (.+?)\s*$/u)?.[1];
  // Where it really lies: behind a link, what it says of where it lies would lead elsewhere.
  const entry = pointer === undefined ? undefined : realPathOf(resolve(folder, pointer));
  if (entry === undefined) return undefined;
  const named = textOf(join(entry, "gitdir"))?.trim() ?? "";
  const repository = dirname(dirname(entry));
  const isListed = dirname(entry) === join(repository, "worktrees") && repository.endsWith("/.git");
  // With worktree.useRelativePaths each names the other from where it lies.
  return isListed && resolve(entry, named) === own ? dirname(repository) : undefined;
}

function textOf(path: string): string | undefined {
  try {
    if (lstatOf(path)?.isFile() !== true) return undefined;
  } catch {
    // What names it may be anybody's: it need not be a path.
    return undefined;
  }
  const read = readRegularFile(path, 4_096);
  return read.ok ? read.text : undefined;
}

function lstatOf(path: string): ReturnType<typeof lstatSync> | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
