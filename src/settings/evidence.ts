/** The evidence that trust is given to: one hash over the content of everything in a project that its settings would run. */
import { createHash } from "node:crypto";
import { lstatSync, realpathSync } from "node:fs";
import { digestOfFile } from "../lib/file-digest.ts";
import { join, relative, sep } from "node:path";
import { entriesOf } from "../lib/path-status.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import { findNamedFiles } from "./named-files.ts";

/** A command line, or a word of one. */
export interface Command {
  text: string;
  /** The folder it runs in. Absolute. */
  cwd: string;
}

/** How a project's files are read. */
export interface EvidenceReader {
  entries: (folder: string) => { name: string; isDirectory(): boolean }[];
  isFileIn: (path: string, folder: string) => boolean;
  /** The file's text, what stands for its bytes, or why there is neither; undefined if the file is too large. */
  read: (path: string, of: "folder" | "command") => FileEvidence | undefined;
}

interface FileEvidence {
  text: string;
  /** The size of a program whose bytes were all read. */
  programBytes: number;
}

const maxFiles = 500;
const maxBytes = 4 * 1024 * 1024;
/** For all programs (files that are not text) together. A self-contained program made by Bun, Deno or Node has a hundred MB. */
const maxProgramBytes = 256 * 1024 * 1024;
/** For a file that a command names, which may be its data. */
const maxNamedBytes = 64 * 1024 * 1024;

/**
 * Hashes the settings' texts, the files in the hook folders and in `wholeFolders`, and the project's files that commands name.
 * Undefined if that is more than can be read: then there is nothing to trust.
 */
export function hashEvidence(
  folder: string,
  settings: readonly { path: string; text: string }[],
  commands: readonly Command[],
  reader: EvidenceReader = diskEvidenceReader,
  wholeFolders: readonly string[],
): string | undefined {
  const hash = createHash("sha256");
  for (const { path, text } of settings) hash.update(`settings\0${relative(folder, path)}\0${text.length}\0${text}\0`);
  const files = new Set<string>();
  for (const name of [".claude/hooks", ".pawl/hooks"])
    if (!addFilesBelow(join(folder, name), files, reader)) return undefined;
  for (const each of wholeFolders) if (!addFilesBelow(each, files, reader)) return undefined;
  const folderFiles = new Set(files);
  for (const { text, cwd } of commands)
    for (const file of findNamedFiles(text, cwd, (path) => reader.isFileIn(path, cwd))) files.add(file);
  if (files.size > maxFiles) return undefined;
  let programBytes = 0;
  for (const file of [...files].toSorted()) {
    const isInFolder = folderFiles.has(file);
    const evidence = reader.read(file, isInFolder ? "folder" : "command");
    if (evidence === undefined && isInFolder) return undefined;
    programBytes += evidence?.programBytes ?? 0;
    if (programBytes > maxProgramBytes) return undefined;
    hash.update(`file\0${relative(folder, file)}\0${evidence?.text ?? "unread: it is too large"}\0`);
  }
  return hash.digest("hex");
}

function addFilesBelow(folder: string, files: Set<string>, reader: EvidenceReader): boolean {
  const open = [folder];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const entry of reader.entries(next)) {
      if (files.size + open.length > maxFiles) return false;
      const path = join(next, entry.name);
      if (entry.isDirectory()) open.push(path);
      else files.add(path);
    }
  }
  return true;
}

const diskEvidenceReader: EvidenceReader = {
  entries: entriesOf,
  isFileIn(path, folder) {
    try {
      const found = path.startsWith(folder + sep) ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
      return found !== undefined && (found.isFile() || realpathSync(path) !== path);
    } catch {
      return false;
    }
  },
  read(path, of) {
    const read = readRegularFile(path, maxBytes);
    // In text, invalid bytes all look the same.
    if (read.ok && !read.text.includes("\ufffd")) return { text: read.text, programBytes: 0 };
    const digest = digestOfFile(path, of === "folder" ? maxProgramBytes : maxNamedBytes);
    if (digest.kind === "digest") return { text: `\0bytes\0${digest.digest}`, programBytes: digest.bytes };
    // A file that cannot be read now may be readable later, so its absence is part of the evidence.
    return digest.kind === "too_large" ? undefined : { text: `unread: ${digest.why}`, programBytes: 0 };
  },
};

/** Reads everything at most once and answers repeated reads from the first. */
export function createCachedEvidenceReader(): EvidenceReader {
  return {
    entries: memoized(diskEvidenceReader.entries),
    isFileIn: memoized((path: string, folder: string) => diskEvidenceReader.isFileIn(path, folder)),
    read: memoized(diskEvidenceReader.read),
  };
}

function memoized<Asked extends string[], Answer>(compute: (...args: Asked) => Answer): (...args: Asked) => Answer {
  const seen = new Map<string, Answer>();
  return (...args) => {
    const key = args.join("\0");
    if (!seen.has(key)) seen.set(key, compute(...args));
    return seen.get(key) as Answer;
  };
}
