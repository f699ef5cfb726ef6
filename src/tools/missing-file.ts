/** For a missing file: similar names in the same folder. */
import { readdir } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { isKnownToExist, spellingOnDisk } from "../lib/path-status.ts";
import { editDistance } from "../lib/edit-distance.ts";
import { escapeCharacter } from "../lib/json-line.ts";
import { quoteName } from "../lib/quote-name.ts";
import type { Cwd } from "./cwd.ts";
import { showPath } from "./paths.ts";

/** Folders with more entries than this are not searched for similar names. */
const mostEntries = 5000;

/** The message for a missing file, with up to three similar names. */
export async function missingFileText(path: string, workingDirectory: Cwd): Promise<string> {
  const cwd = workingDirectory.get();
  const folder = dirname(path);
  const name = showPath(path, cwd);
  const place = workingDirectory.isStart() || name === path ? "" : `The working directory is ${quoteName(cwd)}. `;
  const other = otherSpelling(path);
  if (other !== undefined) return `File not found: ${name}. ${other}`;
  const entries = await readdir(folder).catch(() => undefined);
  if (entries === undefined) {
    return `File not found: ${name}. Its folder is not there either (or cannot be read). ${place}Find the file with Glob.`;
  }
  if (isKnownToExist(path)) return `${name} is a symbolic link to a file that is not there.`;
  if (entries.includes(basename(path)))
    return `The name of ${name} is not UTF-8, so file tools cannot open it. Rename it, or work on it in Bash.`;
  const similar = entries.length > mostEntries ? [] : similarNames(basename(path), entries);
  if (similar.length === 0) return `File not found: ${name}. ${place}Find it with Glob.`;
  return `File not found: ${name}. ${place}Did you mean ${similar.map((entry) => showPath(join(folder, entry), cwd)).join(" or ")}?`;
}

/** A sentence about an existing path that looks the same but is spelled differently; undefined if there is none. */
export function otherSpelling(path: string): string | undefined {
  const spelled = spellingOnDisk(path);
  return spelled === undefined || spelled === path
    ? undefined
    : `A path that looks the same exists, but is spelled with other characters. In JSON: ${toAsciiJson(spelled)}.`;
}

/** As JSON in ASCII, so that combining accents show. */
function toAsciiJson(path: string): string {
  return JSON.stringify(path).replace(/[^ -~]/g, escapeCharacter);
}

function similarNames(missingName: string, entries: readonly string[]): string[] {
  return entries
    .map((entry) => ({ entry, distance: nameDistance(missingName, entry) }))
    .filter(({ distance }) => distance <= Math.max(2, missingName.length / 4))
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, 3)
    .map(({ entry }) => entry);
}

function nameDistance(missingName: string, entry: string): number {
  const [a, b] = [missingName.toLowerCase(), entry.toLowerCase()];
  if (a === b) return 0;
  if (a.slice(0, -extname(a).length || undefined) === b.slice(0, -extname(b).length || undefined)) return 1;
  return Math.abs(a.length - b.length) > 8 ? Infinity : editDistance(a, b);
}
