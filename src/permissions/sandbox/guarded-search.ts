/**
 * Looks for guarded places in working folders before each command: the nearest first, however deep, up to so many folders. What a
 * folder held is remembered for as long as the folder says that it is unchanged, so that most commands cost a look at each, and no list.
 */
import { lstatSync, type BigIntStats, type Dirent } from "node:fs";
import { join } from "node:path";
import { entriesOf } from "../../lib/disk-look.ts";
import { addRepository, type GuardedPlaces, isGuarded } from "./guarded-places.ts";

/** About 40 ms where nothing is known yet, and 10 where all is. */
const mostFolders = 2_000;
/** Each is a mount, and what they take together grows with their square: half a second for these. */
const mostPlaces = 300;
/** A change within the same tick of a file system's clock is not told from none: the coarsest tick there is, ms. */
const coarsestTick = 2_000n;

/** What package managers fill. */
const passedOver: ReadonlySet<string> = new Set(["node_modules", "site-packages", "__pycache__"]);

interface Listed {
  /** Of the folder when it was read. A command can set the time of a change to its content, and not this one. */
  mark: string;
  folders: string[];
  guarded: string[];
  hasRepository: boolean;
}

export class GuardedSearch {
  readonly #now: () => number;
  readonly #entriesOf: (folder: string) => Dirent[];
  #known = new Map<string, Listed>();

  /** `now`: ms since the epoch. */
  constructor({ now = Date.now, entries = entriesOf } = {}) {
    this.#now = now;
    this.#entriesOf = entries;
  }

  /** Absolute and real: the places of each. */
  placesIn(roots: readonly string[]): GuardedPlaces {
    const found: GuardedPlaces = { readOnly: [], pinned: [], unmoved: [], isCut: false };
    const seen = new Map<string, Listed>();
    const open = [...roots];
    let [looked, held] = [0, 0];
    for (; looked < open.length && looked < mostFolders && held < mostPlaces; looked += 1) {
      const folder = open[looked] ?? "";
      const listed = this.#list(folder);
      if (listed === undefined) continue;
      if (listed.mark !== "") seen.set(folder, listed);
      held += listed.guarded.length + (listed.hasRepository ? 1 : 0);
      if (listed.hasRepository) addRepository(join(folder, ".git"), found);
      for (const name of listed.guarded) found.readOnly.push(join(folder, name));
      for (const name of listed.folders) open.push(join(folder, name));
    }
    this.#known = seen;
    return { ...found, isCut: looked < open.length };
  }

  #list(folder: string): Listed | undefined {
    const status = lstatSync(folder, { bigint: true, throwIfNoEntry: false });
    if (status?.isDirectory() !== true) return undefined;
    const mark = this.#markOf(status);
    const known = this.#known.get(folder);
    return known !== undefined && known.mark === mark ? known : readListed(folder, mark, this.#entriesOf(folder));
  }

  /** Empty where it may have changed since without another time. */
  #markOf({ dev, ino, ctimeNs, ctimeMs }: BigIntStats): string {
    return ctimeMs + coarsestTick > BigInt(this.#now()) ? "" : `${dev} ${ino} ${ctimeNs}`;
  }
}

function readListed(folder: string, mark: string, entries: readonly Dirent[]): Listed {
  const listed: Listed = { mark, folders: [], guarded: [], hasRepository: false };
  for (const entry of entries) {
    const { name } = entry;
    const isFolder = entry.isDirectory();
    if (name === ".git" && isFolder) listed.hasRepository = true;
    else if (isGuarded(folder, { name, isFolder })) listed.guarded.push(name);
    else if (isFolder && !passedOver.has(name)) listed.folders.push(name);
  }
  return listed;
}
