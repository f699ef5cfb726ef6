/** Decides what git takes for a repository and where its files lead, exactly as git does, including links and blanks. */
import { lstatSync, realpathSync } from "node:fs";
import { isFolder } from "./disk-look.ts";
import { readRegularFile } from "./regular-file.ts";

const maxBytes = 64 * 1024;
const oneLine = /^(\S(?:[^\r\n]*\S)?)[\r\n]*$/u;

/** Whether git would use this folder as a repository; otherwise git looks in the folder above. */
export function isGitFolder(folder: string): boolean {
  const common = commonFolder(folder);
  if (common === undefined || !isFolder(`${common}/objects`) || !isFolder(`${common}/refs`)) return false;
  const head = exactText(`${folder}/HEAD`);
  return head !== undefined && /^(?:ref:\s*refs\/|[\da-fA-F]{40})/u.test(head);
}

/** Whether plain files could pose as a bare repository. */
export function posesAsRepository(folder: string): boolean {
  if (!isThere(`${folder}/HEAD`)) return false;
  return isThere(`${folder}/commondir`) || (isThere(`${folder}/objects`) && isThere(`${folder}/refs`));
}

/** The folder whose configuration, objects and references a repository uses; undefined if it cannot be determined. */
export function commonFolder(folder: string): string | undefined {
  const path = `${folder}/commondir`;
  if (!isThere(path)) return folder;
  return followed(folder, oneLine.exec(exactText(path) ?? "")?.[1]);
}

/** The repository that the `.git` file in `place` names; undefined if it cannot be determined. */
export function namedGitFolder(place: string): string | undefined {
  const text = exactText(`${place}/.git`);
  return text?.startsWith("gitdir: ") === true ? followed(place, oneLine.exec(text.slice(8))?.[1]) : undefined;
}

/** `..` after a link starts at the link's target, so nothing may be shortened before links are followed. */
function followed(folder: string, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  try {
    return realpathSync.native(name.startsWith("/") ? name : `${folder}/${name}`);
  } catch {
    return undefined;
  }
}

/** Undefined if the text differs from the bytes: a byte order mark, invalid UTF-8 or a control character. */
function exactText(path: string): string | undefined {
  const read = readRegularFile(path, maxBytes);
  if (!read.ok || /\ufffd|(?![\r\n\t])\p{Cc}/u.test(read.text)) return undefined;
  const status = lstatSync(path);
  return status.isFile() && Buffer.byteLength(read.text) === status.size ? read.text : undefined;
}

/** A broken link counts as there. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
