/** Which folder git takes for a repository, and where its files lead: as git itself decides it, link for link and blank for blank. */
import { lstatSync, realpathSync } from "node:fs";
import { isFolder } from "./disk-look.ts";
import { readRegularFile } from "./regular-file.ts";

const maxBytes = 64 * 1024;
const oneLine = /^(\S(?:[^\r\n]*\S)?)[\r\n]*$/u;

/** Whether git would work in it; where it is none, git goes on to the folder above. */
export function isGitFolder(folder: string): boolean {
  const common = commonFolder(folder);
  if (common === undefined || !isFolder(`${common}/objects`) || !isFolder(`${common}/refs`)) return false;
  const head = exactText(`${folder}/HEAD`);
  return head !== undefined && /^(?:ref:\s*refs\/|[\da-fA-F]{40})/u.test(head);
}

/** Whether plain files could pose as a repository without a working tree. */
export function posesAsRepository(folder: string): boolean {
  if (!isThere(`${folder}/HEAD`)) return false;
  return isThere(`${folder}/commondir`) || (isThere(`${folder}/objects`) && isThere(`${folder}/refs`));
}

/** Whose configuration, objects and references count in a repository's folder; undefined where it cannot be told. */
export function commonFolder(folder: string): string | undefined {
  const path = `${folder}/commondir`;
  if (!isThere(path)) return folder;
  return followed(folder, oneLine.exec(exactText(path) ?? "")?.[1]);
}

/** Where the file `.git` in `place` says that the repository is; undefined where it cannot be told. */
export function namedGitFolder(place: string): string | undefined {
  const text = exactText(`${place}/.git`);
  return text?.startsWith("gitdir: ") === true ? followed(place, oneLine.exec(text.slice(8))?.[1]) : undefined;
}

/** `..` behind a link is where the link leads, so nothing is shortened before the links are followed. */
function followed(folder: string, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  try {
    return realpathSync.native(name.startsWith("/") ? name : `${folder}/${name}`);
  } catch {
    return undefined;
  }
}

/** Undefined where its bytes are not what the text says: a mark at its start, what is no UTF-8, a control character. */
function exactText(path: string): string | undefined {
  const read = readRegularFile(path, maxBytes);
  if (!read.ok || /\ufffd|(?![\r\n\t])\p{Cc}/u.test(read.text)) return undefined;
  const status = lstatSync(path);
  return status.isFile() && Buffer.byteLength(read.text) === status.size ? read.text : undefined;
}

/** A link too that leads nowhere. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
