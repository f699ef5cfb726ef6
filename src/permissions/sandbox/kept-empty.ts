/** Folders made empty where they are missing, so that nothing can be put there while a command runs. Git does not see empty folders. */
import { lstatSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isThere } from "../../lib/disk-look.ts";
import { jsonIn } from "../../lib/json-in.ts";
import { readRegularFile } from "../../lib/regular-file.ts";

const keptEmpty = [".claude", ".pawl"];
/** In a session's own folder: what the next one removes where this one is killed. */
const noteName = "kept-empty.json";
const longestNote = 1 << 20;

/** By how many sessions of this process each is kept: what one has made, another may rely on. */
const keepers = new Map<string, number>();

/**
 * Makes what is kept empty, or keeps it as well as another does; says what `known` does not hold yet. What is there is not touched.
 * `base`: the session's own folder, where it says first what it makes.
 */
export function keepEmpty(folder: string, known: ReadonlySet<string>, base: string): string[] {
  const git = join(folder, ".git");
  const repository = lstatSync(git, { throwIfNoEntry: false })?.isDirectory() === true ? [join(git, "hooks")] : [];
  const all = [...keptEmpty.map((name) => join(folder, name)), ...repository];
  const missing = all.filter((path) => !isThere(path));
  if (missing.length > 0) writeNote(base, [...known, ...missing]);
  const kept = all.filter((path) => {
    const isMade = makeFolder(path);
    return !known.has(path) && (isMade || keepers.has(path));
  });
  for (const path of kept) keepers.set(path, (keepers.get(path) ?? 0) + 1);
  return kept;
}

function writeNote(base: string, paths: readonly string[]): void {
  try {
    writeFileSync(join(base, noteName), JSON.stringify(paths), { mode: 0o600 });
  } catch {
    // On a full disk: at worst an empty folder stays behind.
  }
}

/** False where something is there, or nothing can be made: then a command cannot make it either. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Removes what nobody keeps any more, if it is still empty. */
export function letGoOfEmpty(paths: Iterable<string>): void {
  for (const path of paths) {
    const left = (keepers.get(path) ?? 1) - 1;
    if (left > 0) keepers.set(path, left);
    else {
      keepers.delete(path);
      removeFolder(path);
    }
  }
}

/** The same of a session whose process was killed. `base`: its own folder, which it had to itself. */
export function letGoOfLeft(base: string): void {
  const read = readRegularFile(join(base, noteName), longestNote);
  const noted = read.ok ? jsonIn(read.text) : undefined;
  if (!Array.isArray(noted)) return;
  for (const path of noted) if (typeof path === "string" && isKept(path) && !keepers.has(path)) removeFolder(path);
}

function isKept(path: string): boolean {
  const names = [...keptEmpty, join(".git", "hooks")];
  return isAbsolute(path) && names.some((name) => path.endsWith(join("/", name)));
}

function removeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Someone has put something into it, or has removed it: either way it is theirs now.
  }
}
