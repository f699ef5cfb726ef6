/** Lists files without ripgrep: follows no links, and honours .gitignore on request. */
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Ignore } from "ignore";
import { hasErrorCode } from "../../lib/error-text.ts";
import { foldersUpTo } from "../../lib/folders-above.ts";
import { findRepository } from "../../lib/git-repository.ts";
import { isPlanted } from "../../lib/planted.ts";
import { systemFolders, unsearchedFolders } from "./ripgrep.ts";

export interface WalkOptions {
  /** Absolute. */
  directory: string;
  /** Leave out what .gitignore files exclude, in a git repository. */
  respectsIgnore: boolean;
  includesHidden: boolean;
  signal: AbortSignal;
  /** Asked between folders; true ends the walk. */
  isOver(): boolean;
  /** Called when a folder may not be read. */
  onUnread(): void;
}

export interface IgnoreRules {
  folder: string;
  rules: Ignore;
}

interface Folder {
  path: Buffer;
  /** The rules that apply here, outermost first. */
  rules: IgnoreRules[];
}

const slash = Buffer.from("/");

/** Yields paths as bytes, relative to the folder, in file system order. Entries that cannot be read are left out. */
export async function* walk(options: WalkOptions): AsyncGenerator<Buffer, void> {
  const rules = options.respectsIgnore ? await outerRules(options.directory) : [];
  const waiting: Folder[] = [{ path: Buffer.alloc(0), rules }];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    options.signal.throwIfAborted();
    if (options.isOver()) return;
    const here = await rulesAt(folder, options);
    for (const entry of await entriesOf(folder, options)) {
      if (!isWanted(entry, folder, here, options)) continue;
      const path = folder.path.length === 0 ? entry.name : Buffer.concat([folder.path, slash, entry.name]);
      if (entry.isDirectory) waiting.push({ path, rules: here });
      else yield path;
    }
  }
}

interface Entry {
  name: Buffer;
  isDirectory: boolean;
}

function absolute(directory: string, path: Buffer): Buffer {
  return Buffer.concat([Buffer.from(directory), slash, path]);
}

async function entriesOf(folder: Folder, options: WalkOptions): Promise<Entry[]> {
  try {
    const entries = await readdir(absolute(options.directory, folder.path), {
      withFileTypes: true,
      encoding: "buffer",
    });
    return entries
      .filter((entry) => entry.isDirectory() || entry.isFile())
      .map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }));
  } catch (error) {
    // The folder may also have gone since it was listed.
    if (!hasErrorCode(error, "ENOENT")) options.onUnread();
    return [];
  }
}

function isWanted(
  { name, isDirectory }: Entry,
  folder: Folder,
  rules: readonly IgnoreRules[],
  options: WalkOptions,
): boolean {
  const text = name.toString();
  if (unsearchedFolders.includes(text)) return false;
  if (!options.includesHidden && text.startsWith(".")) return false;
  const path = join(options.directory, folder.path.toString(), text);
  return !systemFolders.includes(path) && !isIgnored(path, isDirectory, rules);
}

/** `path` is absolute and below the folders of the rules; the rules are ordered from the outermost folder in. */
export function isIgnored(path: string, isDirectory: boolean, rules: readonly IgnoreRules[]): boolean {
  for (const { folder: from, rules: ignore } of rules.toReversed()) {
    const verdict = ignore.test(relative(from, path) + (isDirectory ? "/" : ""));
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

async function rulesAt(folder: Folder, options: WalkOptions): Promise<IgnoreRules[]> {
  if (!options.respectsIgnore || folder.rules.length === 0) return folder.rules;
  const path = join(options.directory, folder.path.toString());
  if (folder.rules.some(({ folder: known }) => known === path)) return folder.rules;
  const own = await readRules(path);
  return own === undefined ? folder.rules : [...folder.rules, own];
}

/** The rules of the repository's folders from its top down to `directory`; none outside a repository, as in git itself. */
export async function outerRules(directory: string): Promise<IgnoreRules[]> {
  const top = findRepository(directory);
  if (top === undefined) return [];
  const folders = foldersUpTo(directory, top).toReversed();
  const trusted = folders.filter((folder) => !isPlanted(join(folder, ".gitignore"), folder, directory));
  const rules = await Promise.all(trusted.map(async (folder) => await readRules(folder)));
  const found = rules.filter((one) => one !== undefined);
  // An empty rule set still records that there is a repository.
  return found.length > 0 ? found : [{ folder: top, rules: await parseRules("") }];
}

async function parseRules(text: string): Promise<Ignore> {
  const { default: ignore } = await import("ignore");
  return ignore({ allowRelativePaths: true }).add(text);
}

async function readRules(folder: string): Promise<IgnoreRules | undefined> {
  const text = await readFile(join(folder, ".gitignore"), "utf8").catch(() => undefined);
  return text === undefined ? undefined : { folder, rules: await parseRules(text) };
}
