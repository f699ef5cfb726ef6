/** How the settings files looked at one moment: a quick comparison before each call, and stamps that tell which file has changed. */
import { statSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { childPath } from "../lib/child-path.ts";
import { statusOf } from "../lib/path-status.ts";
import type { SettingsOrigin } from "./source.ts";

export interface WatchedFile {
  path: string;
  /** `trust`: the list of trusted folders. */
  origin: SettingsOrigin | "trust";
}

/** The folder for an administrator's additional files. */
const dropInFolder = "managed-settings.d";

/** The paths checked in one folder. If the folder did not exist, a single check covers them all. */
interface WatchedFolder {
  folder: string;
  isMissing: boolean;
  entries: { path: string; stats: Stats | undefined }[];
}

/** The state of the files, and of the folders that may get more of them, at one moment. */
export class FileStates {
  readonly #places: readonly WatchedFolder[];

  constructor(files: readonly WatchedFile[]) {
    const ofPolicy = files.filter(({ origin }) => origin === "policy").map(({ path }) => dirname(path));
    const policy = [...new Set(ofPolicy)];
    const paths = [...files.map(({ path }) => path), ...policy.map((folder) => childPath(folder, dropInFolder))];
    const folders = [...new Set(paths.map((path) => dirname(path)))];
    this.#places = folders.map((folder) => {
      const isMissing = statusOf(folder) === undefined;
      const within = paths.filter((path) => dirname(path) === folder);
      if (policy.includes(folder)) within.push(folder);
      return {
        folder,
        isMissing,
        entries: within.map((path) => ({ path, stats: isMissing ? undefined : statusOf(path) })),
      };
    });
  }

  /** False if the file's folder did not exist. */
  mayContain(path: string): boolean {
    const folder = dirname(path);
    return this.#places.some((place) => place.folder === folder && !place.isMissing);
  }

  /** Whether nothing changed. A new folder is no change until it contains one of the files. */
  isSame(): boolean {
    for (const place of this.#places) {
      if (place.isMissing && statusOf(place.folder) === undefined) continue;
      // Once the folder exists, its files are checked one by one.
      place.isMissing = false;
      for (const { path, stats } of place.entries) if (!isSameFile(stats, statusOf(path))) return false;
    }
    return true;
  }
}

function isSameFile(one: Stats | undefined, other: Stats | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs &&
    one.dev === other.dev
  );
}

/** The stamps of existing files, by path. */
export type Stamps = ReadonlyMap<string, string>;

/** Differs from every file's stamp. */
export const unseenStamp = "unseen";

export function stampsOf(files: readonly WatchedFile[], glance: FileStates): Stamps {
  const stamps = new Map<string, string>();
  for (const { path } of files) {
    const stamp = glance.mayContain(path) ? stampOf(path) : "";
    if (stamp !== "") stamps.set(path, stamp);
  }
  return stamps;
}

/** The file's stamp, or empty if there is no file. Any change of place, size or time makes a different stamp. */
function stampOf(path: string): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "" : `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
  } catch (error) {
    return `unread ${String((error as NodeJS.ErrnoException).code)}`;
  }
}
