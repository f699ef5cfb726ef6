/** A folder's local settings belong to one person: git is told to keep a new file of them out of commits. */
import { closeSync, constants, mkdirSync, openSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isFolder, isKnownToExist } from "../../lib/path-status.ts";
import { commonGitFolder, isGitFolder } from "../../lib/git-repository.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { reasonOf } from "../../lib/system-reason.ts";

const maxBytes = 1024 * 1024;

/** `path`: the settings file; a repository may start two folders above it. Returns sentences for the user. Must not throw. */
export function excludeFromGit(path: string): string[] {
  const top = dirname(dirname(path));
  const gitFolder = join(top, ".git");
  // A `.git` folder elsewhere may belong to anybody.
  if (!isFolder(gitFolder) && isKnownToExist(gitFolder))
    return [`${path} may get into a commit: its repository is elsewhere, so exclude the file there by hand.`];
  if (commonGitFolder(gitFolder) !== gitFolder || !isGitFolder(gitFolder)) return [];
  const file = join(gitFolder, "info/exclude");
  const line = `/${relative(top, path)}`;
  try {
    const read = isKnownToExist(file) ? readRegularFile(file, maxBytes) : ({ ok: true, text: "" } as const);
    if (!read.ok) return [`${path} may get into a commit: ${file} cannot be read.`];
    if (read.text.split(/\r?\n/u).includes(line)) return [];
    mkdirSync(dirname(file), { recursive: true });
    const begin = read.text === "" || read.text.endsWith("\n") ? "" : "\n";
    appendLine(file, `${begin}${line}\n`);
    return [`Git leaves it out of commits, as ${file} says.`];
  } catch (error) {
    return [`${path} may get into a commit: ${file} cannot be written: ${reasonOf(error)}.`];
  }
}

/** Does not follow a link, which would lead to somebody else's file. */
function appendLine(file: string, text: string): void {
  const descriptor = openSync(file, constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}
