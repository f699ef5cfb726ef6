/** Describes system errors for people, with the code for searches, and the owner of a path that may not be touched. */
import { lstatSync } from "node:fs";
import { constants } from "node:os";
import { dirname, isAbsolute } from "node:path";
import { errorText } from "./error-text.ts";

const reasonTexts: Record<string, string> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EIO: "the disk reported an error",
  ESTALE: "the server of this network folder no longer knows it",
  EROFS: "the file system is read-only",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EMFILE: "this process has too many open files",
  ENFILE: "the system has too many open files",
  EFBIG: "the file would be larger than the system allows",
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "it is a folder",
  EEXIST: "a part of its path exists and is not a folder",
  ELOOP: "a symbolic link is in its way",
  EBUSY: "it is in use, or is a mount point",
  ENXIO: "it is a socket, or a pipe that nobody reads",
  ENAMETOOLONG: "its name is too long",
  EAGAIN: "this user or this system cannot start more processes",
  ENOMEM: "the system has no memory left for it",
  E2BIG: "its arguments and environment are longer than the system allows",
};

/** The system's error code, such as `ENOSPC`; undefined for other errors. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  if (typeof error.code !== "string") return undefined;
  if (/^E[A-Z0-9]+$/.test(error.code)) return error.code;
  return unnamedCode(error.code) ?? ("message" in error ? removalCode(error.code, String(error.message)) : undefined);
}

/** Node.js has no names for some codes, such as `EDQUOT` and `ESTALE`, and reports their numbers. */
function unnamedCode(code: string): string | undefined {
  const number = Number(/^Unknown system error -(\d+)$/.exec(code)?.[1] ?? Number.NaN);
  return Object.entries(constants.errno).find(([, each]) => each === number)?.[0];
}

const removalWords: Record<string, string> = {
  "Read-only file system": "EROFS",
  "Device or resource busy": "EBUSY",
  "Resource busy": "EBUSY",
  "Input/output error": "EIO",
  "I/O error": "EIO",
  "Too many open files": "EMFILE",
  "No file descriptors available": "EMFILE",
  "Stale file handle": "ESTALE",
  "Disk quota exceeded": "EDQUOT",
};

/** For a recursive removal Node.js names only a few errors, and gives the C library's message for the others. */
function removalCode(code: string, message: string): string | undefined {
  const unknownErrorCode = code === "" ? /^, Unknown error: (.+?)(?:: | ')/.exec(message)?.[1] : undefined;
  return unknownErrorCode === undefined ? undefined : removalWords[unknownErrorCode];
}

const machineCodes =
  "ENOSPC EDQUOT EIO ESTALE EROFS EACCES EPERM EMFILE ENFILE EFBIG ELOOP ENAMETOOLONG ENOMEM EBUSY".split(" ");

/** Whether the machine is the cause, and not the caller or the kind of call. */
export function isMachineError(error: unknown): error is Error {
  return machineCodes.includes(systemCode(error) ?? "");
}

/** A sentence about a file or folder that the system refuses, wherever the error arose; undefined for other errors. */
export function refusalText(error: unknown): string | undefined {
  const path = isMachineError(error) && "path" in error ? error.path : undefined;
  return typeof path === "string" ? `${path}: ${reasonOf(error)}.` : undefined;
}

/** The reason in words with the code: `the disk is full (ENOSPC)`; other errors as they are. */
export function reasonOf(error: unknown): string {
  const code = systemCode(error);
  if (code === undefined) return errorText(error);
  const { path, syscall } = error as NodeJS.ErrnoException;
  // The file may still be writable: a network share or USB stick has one mode for all files.
  const isMode = code === "EPERM" && syscall?.endsWith("chmod") === true;
  const reason = isMode ? "its mode may not be changed" : reasonTexts[code];
  if (reason === undefined) return code;
  // A program that is started may belong to anybody.
  const mayNameOwner = (code === "EACCES" || code === "EPERM") && syscall?.startsWith("spawn") !== true;
  const ownerNote = mayNameOwner ? foreignOwnerNote(path) : "";
  return `${reason} (${code}${ownerNote})`;
}

/** `; /home/u/.pawl belongs to root`: files left by a run as another user. Empty if the path belongs to this user. */
function foreignOwnerNote(path: string | undefined): string {
  if (path === undefined || !isAbsolute(path) || process.getuid === undefined) return "";
  for (let place = path; ; place = dirname(place)) {
    const owner = ownerOf(place);
    if (owner === process.getuid() || (owner === undefined && dirname(place) === place)) return "";
    if (owner === undefined) continue;
    return `; ${place === path ? "it" : place} belongs to ${owner === 0 ? "root" : `user ${owner}`}`;
  }
}

function ownerOf(path: string): number | undefined {
  try {
    return lstatSync(path).uid;
  } catch {
    // It is missing, or in a folder that may not be read: the folder above shows the owner.
    return undefined;
  }
}
