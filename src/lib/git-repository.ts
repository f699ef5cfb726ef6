/** Decides what git takes for a repository and where its files lead, exactly as git does, including links and blanks. */
import { lstatSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { childPath } from "./child-path.ts";
import { readGitConfig } from "./git-config.ts";
import { isFolder, isKnownToExist, statusOf } from "./path-status.ts";
import { isWithin } from "./is-within.ts";
import { isPlanted } from "./planted.ts";
import { readRegularFile } from "./regular-file.ts";

const maxBytes = 64 * 1024;
const singleLinePattern = /^(\S(?:[^\r\n]*\S)?)[\r\n]*$/u;

/** Returns the nearest folder upward that contains a `.git`, ignoring one that another user planted in a shared folder. */
export function findRepository(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = childPath(folder, ".git");
    if (statusOf(path) !== undefined && !isPlanted(path, folder, cwd)) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** Whether git would use this folder as a repository; otherwise git looks in the folder above. */
export function isGitFolder(folder: string): boolean {
  const common = commonGitFolder(folder);
  if (common === undefined || !isFolder(`${common}/objects`) || !isFolder(`${common}/refs`)) return false;
  const head = readExactText(`${folder}/HEAD`);
  return head !== undefined && /^(?:ref:\s*refs\/|[\da-fA-F]{40})/u.test(head);
}

/** Whether plain files could pose as a bare repository. */
export function looksLikeBareRepository(folder: string): boolean {
  if (!isKnownToExist(`${folder}/HEAD`)) return false;
  return (
    isKnownToExist(`${folder}/commondir`) || (isKnownToExist(`${folder}/objects`) && isKnownToExist(`${folder}/refs`))
  );
}

/** The folder whose configuration, objects and references a repository uses; undefined if it cannot be determined. */
export function commonGitFolder(folder: string): string | undefined {
  const path = `${folder}/commondir`;
  if (!isKnownToExist(path)) return folder;
  return resolveRealPath(folder, singleLinePattern.exec(readExactText(path) ?? "")?.[1]);
}

/** The repository that the `.git` file in `place` names; undefined if it cannot be determined. */
export function gitFolderFromFile(place: string): string | undefined {
  const text = readExactText(`${place}/.git`);
  return text?.startsWith("gitdir: ") === true
    ? resolveRealPath(place, singleLinePattern.exec(text.slice(8))?.[1])
    : undefined;
}

/**
 * Whether the repository is the own one of `place`: it is in there, or it is a work tree's or a submodule's and names `place`. Any other
 * would show files of another folder. `own` and `common`: its folder, and the one with its objects. All are real paths.
 */
export function isOwnRepository(place: string, own: string, common: string): boolean {
  if (isWithin(common, place)) return true;
  if (own === common) return configuredWorkTree(own) === place;
  const isWorkTree = dirname(dirname(own)) === common && !isWithin(own, place);
  const named = isWorkTree ? readExactText(`${own}/gitdir`)?.trim() : undefined;
  return named !== undefined && named !== "" && resolveRealPath(own, named) === childPath(place, ".git");
}

/** The folder that the settings of a submodule's repository name, which lies in the repository above. */
function configuredWorkTree(gitFolder: string): string | undefined {
  const { settings } = readGitConfig(readExactText(`${gitFolder}/config`) ?? "");
  const value = settings.findLast(({ key }) => key === "core.worktree")?.value;
  return value === undefined || value === null || value === "" ? undefined : resolveRealPath(gitFolder, value);
}

/** `..` after a link starts at the link's target, so nothing may be shortened before links are followed. */
function resolveRealPath(folder: string, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  try {
    return realpathSync.native(name.startsWith("/") ? name : `${folder}/${name}`);
  } catch {
    return undefined;
  }
}

/** Undefined if the text differs from the bytes: a byte order mark, invalid UTF-8 or a control character. */
function readExactText(path: string): string | undefined {
  const read = readRegularFile(path, maxBytes);
  if (!read.ok || /\ufffd|(?![\r\n\t])\p{Cc}/u.test(read.text)) return undefined;
  const status = lstatSync(path);
  return status.isFile() && Buffer.byteLength(read.text) === status.size ? read.text : undefined;
}
