/**
 * Finds guarded places in working directories before each command, nearest first, at any depth, up to a number of folders. A folder's
 * contents are remembered while its mark is unchanged, so that most commands cost one stat for each folder and no listing.
 */
import { lstatSync, type BigIntStats, type Dirent } from "node:fs";
import { join } from "node:path";
import { entriesOf } from "../../lib/path-status.ts";
import { addRepository, type GuardedPlaces, isGuardedEntry } from "./guarded-places.ts";

/** About 40 ms if nothing is cached yet, and 10 ms if everything is. */
const maxFolders = 2_000;
/** Each place is a mount, and their total cost grows with the square of the number: half a second for these. */
const maxPlaces = 300;
/** A change within the same tick of the file system's clock cannot be seen. This is the coarsest tick of any, in ms. */
const coarsestTick = 2_000n;

/** Folders that package managers fill. */
const skippedFolders: ReadonlySet<string> = new Set(["node_modules", "site-packages", "__pycache__"]);

interface FolderListing {
  /** Identifies the folder's state when it was read. Uses ctime, which a command cannot set, unlike mtime. */
  mark: string;
  folders: string[];
  guarded: string[];
  hasRepository: boolean;
}

export class GuardedSearch {
  readonly #now: () => number;
  readonly #entriesOf: (folder: string) => Dirent[];
  #listings = new Map<string, FolderListing>();

  /** `now`: ms since the epoch. */
  constructor({ now = Date.now, entries = entriesOf } = {}) {
    this.#now = now;
    this.#entriesOf = entries;
  }

  /** The guarded places of these folders (absolute real paths). */
  placesIn(roots: readonly string[]): GuardedPlaces {
    const found: GuardedPlaces = { readOnly: [], pinned: [], unmoved: [], isCut: false };
    const seen = new Map<string, FolderListing>();
    const open = [...roots];
    let [looked, held] = [0, 0];
    for (; looked < open.length && looked < maxFolders && held < maxPlaces; looked += 1) {
      const folder = open[looked] ?? "";
      const listed = this.#listFolder(folder);
      if (listed === undefined) continue;
      if (listed.mark !== "") seen.set(folder, listed);
      held += listed.guarded.length + (listed.hasRepository ? 1 : 0);
      if (listed.hasRepository) addRepository(join(folder, ".git"), found);
      for (const name of listed.guarded) found.readOnly.push(join(folder, name));
      for (const name of listed.folders) open.push(join(folder, name));
    }
    this.#listings = seen;
    return { ...found, isCut: looked < open.length };
  }

  #listFolder(folder: string): FolderListing | undefined {
    const status = lstatSync(folder, { bigint: true, throwIfNoEntry: false });
    if (status?.isDirectory() !== true) return undefined;
    const mark = this.#stateMark(status);
    const known = this.#listings.get(folder);
    return known !== undefined && known.mark === mark ? known : readListing(folder, mark, this.#entriesOf(folder));
  }

  /** Empty if the folder may change again without getting another ctime. */
  #stateMark({ dev, ino, ctimeNs, ctimeMs }: BigIntStats): string {
    return ctimeMs + coarsestTick > BigInt(this.#now()) ? "" : `${dev} ${ino} ${ctimeNs}`;
  }
}

function readListing(folder: string, mark: string, entries: readonly Dirent[]): FolderListing {
  const listed: FolderListing = { mark, folders: [], guarded: [], hasRepository: false };
  for (const entry of entries) {
    const { name } = entry;
    const isFolder = entry.isDirectory();
    if (name === ".git" && isFolder) listed.hasRepository = true;
    else if (isGuardedEntry(folder, { name, isFolder })) listed.guarded.push(name);
    else if (isFolder && !skippedFolders.has(name)) listed.folders.push(name);
  }
  return listed;
}
