/** What trust is given to: the content of everything in a project that its settings would have run, as one hash. */
import { createHash } from "node:crypto";
import { lstatSync, realpathSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { entriesOf } from "../lib/disk-look.ts";
import { readRegularFile } from "../lib/regular-file.ts";

/** A command line, or a word of one. */
export interface Command {
  text: string;
  /** Where it runs. Absolute. */
  cwd: string;
}

/** How the files of a project are looked at. */
export interface EvidenceLook {
  entries: (folder: string) => { name: string; isDirectory(): boolean }[];
  isFileIn: (path: string, folder: string) => boolean;
  /** Its text, or why there is none. */
  read: (path: string) => string;
}

const maxFiles = 500;
const maxBytes = 4 * 1024 * 1024;

/**
 * Of the settings' texts, the files in the hook folders and in those of `whole`, and the files of the project that commands name. Undefined where that is
 * more than can be looked at: then there is nothing to trust.
 */
export function evidenceOf(
  folder: string,
  settings: readonly { path: string; text: string }[],
  commands: readonly Command[],
  look: EvidenceLook = diskLook,
  whole: readonly string[] = [],
): string | undefined {
  const hash = createHash("sha256");
  for (const { path, text } of settings) hash.update(`settings\0${relative(folder, path)}\0${text.length}\0${text}\0`);
  const files = new Set<string>();
  for (const name of [".claude/hooks", ".pawl/hooks"])
    if (!addFolder(join(folder, name), files, look)) return undefined;
  for (const each of whole) if (!addFolder(each, files, look)) return undefined;
  for (const { text, cwd } of commands) for (const file of filesNamed(text, cwd, look)) files.add(file);
  if (files.size > maxFiles) return undefined;
  for (const file of [...files].toSorted()) {
    hash.update(`file\0${relative(folder, file)}\0${look.read(file)}\0`);
  }
  return hash.digest("hex");
}

function addFolder(folder: string, files: Set<string>, look: EvidenceLook): boolean {
  const open = [folder];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const entry of look.entries(next)) {
      if (files.size + open.length > maxFiles) return false;
      const path = join(next, entry.name);
      if (entry.isDirectory()) open.push(path);
      else files.add(path);
    }
  }
  return true;
}

/** Every word of a command that is a file of the project. */
function filesNamed(command: string, folder: string, look: EvidenceLook): string[] {
  const filled = command.replace(/\$\{?CLAUDE_PROJECT_DIR\}?/gu, () => folder);
  const words = filled.split(/[\s"'`;|&()<>=]+/u).filter((word) => word !== "" && !word.startsWith("-"));
  return words.flatMap((word) => {
    const path = resolve(folder, word);
    return look.isFileIn(path, folder) ? [path] : [];
  });
}

const diskLook: EvidenceLook = {
  entries: entriesOf,
  isFileIn(path, folder) {
    try {
      return path.startsWith(folder + sep) && (lstatSync(path).isFile() || realpathSync(path) !== path);
    } catch {
      return false;
    }
  },
  read(path) {
    const read = readRegularFile(path, maxBytes);
    // What cannot be read now may be another thing later: its absence is part of what was seen.
    return read.ok ? read.text : `unread: ${read.why}`;
  },
};

/** Looks at everything once: what is asked again is as it was seen then. */
export function lookOnce(): EvidenceLook {
  return {
    entries: once(diskLook.entries),
    isFileIn: once((path: string, folder: string) => diskLook.isFileIn(path, folder)),
    read: once(diskLook.read),
  };
}

function once<Asked extends string[], Seen>(look: (...asked: Asked) => Seen): (...asked: Asked) => Seen {
  const seen = new Map<string, Seen>();
  return (...asked) => {
    const key = asked.join("\0");
    if (!seen.has(key)) seen.set(key, look(...asked));
    return seen.get(key) as Seen;
  };
}
