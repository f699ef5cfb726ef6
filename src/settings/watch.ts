/**
 * Settings that change under a running session. Whether a file changed is asked when it matters, by its stamp: nothing watches, no
 * timer runs. A file that cannot be understood counts as it did before, and so does one whose change was refused.
 */
import { statSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { childPath } from "../lib/child-path.ts";
import { statusOf } from "../lib/disk-look.ts";
import { newObject, type JsonObject } from "../lib/json.ts";
import { systemCode } from "../lib/system-reason.ts";
import { diskReader, type LoadedSettings, type SettingsReader } from "./load.ts";
import type { SettingsOrigin } from "./source.ts";

export interface WatchedFile {
  path: string;
  /** `trust`: the list of trusted folders. */
  origin: SettingsOrigin | "trust";
}

export interface WatchOptions {
  /** Those there may be, whether or not they are there. */
  files: () => readonly WatchedFile[];
  load: (reader: SettingsReader, applied: Readonly<JsonObject> | undefined) => LoadedSettings;
  /** Of the folder's content, by its hash. */
  trust?: SessionTrust;
  /** What somebody has just seen. Default: what is seen now. */
  first?: FirstSight;
}

/** Files as they stood at one moment, and their texts from then on. Many sessions may begin with one. */
export interface FirstSight {
  glance: Glance;
  stamps: Stamps;
  reader: SettingsReader;
}

/** By path, of those that are there. */
type Stamps = ReadonlyMap<string, string>;

/** What this session trusts without the user's list: what `--trust` was said of, and what was made of it at the user's word. */
export interface SessionTrust {
  trusts: (hash: string) => boolean;
  trust: (hash: string) => void;
}

/** Of a machine that is short of something, of a disk or a network that fails for a moment. */
const passing: readonly string[] = ["EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EINTR", "EIO", "ESTALE", "ETIMEDOUT"];

/** A file as it counts: its text, or null where there was none. */
type Kept = Map<string, string | null>;

export class SettingsWatch {
  readonly #options: WatchOptions;
  #stamps: Stamps;
  /** Looked at before each call, so it costs a few looks and builds nothing. */
  #glance: Glance;
  /** As the files stand that count. */
  #texts: Kept;
  /** Those that count as they stood before. */
  readonly #held: Kept = new Map();
  #loaded: LoadedSettings;
  #applied: JsonObject | undefined;
  #isApplied = true;
  /** Files are to be looked at once more, changed or not. */
  #isPutOff = false;
  /** Those that the machine could not read when they were last asked for: the next moment may do. */
  readonly #unread = new Set<string>();

  constructor(options: WatchOptions) {
    this.#options = options;
    const { glance, stamps, reader } = options.first ?? firstSight(options.files());
    this.#glance = glance;
    this.#stamps = stamps;
    const first = this.#read(reader);
    this.#loaded = first.loaded;
    this.#texts = first.texts;
  }

  get loaded(): LoadedSettings {
    return this.#loaded;
  }

  get trust(): SessionTrust | undefined {
    return this.#options.trust;
  }

  hasChanged(): boolean {
    return !this.#isApplied || this.#isPutOff || this.#unread.size > 0 || !this.#glance.isSame();
  }

  /** What was laid over the flag so far. */
  get applied(): Readonly<JsonObject> | undefined {
    return this.#applied;
  }

  /** Lays these over what the flag says; that has changed then. */
  apply(over: Readonly<JsonObject>): void {
    this.#applied = Object.assign(newObject(), this.#applied, over);
    this.#isApplied = false;
  }

  /** The files that changed since it was last asked; from now on they count as they stand, until they are held. */
  takeChanges(): WatchedFile[] {
    const files = this.#options.files();
    this.#glance = new Glance(files);
    const stamps = stampsOf(files, this.#glance);
    const paths = [...new Set([...this.#changed(stamps), ...this.#unread])];
    this.#unread.clear();
    this.#stamps = stamps;
    const changed = paths.map((path) => files.find((file) => file.path === path) ?? { path, origin: "user" as const });
    if (!this.#isApplied) changed.push({ path: "--settings", origin: "flag" });
    this.#isApplied = true;
    this.#isPutOff = false;
    const isTrust = changed.some(({ origin }) => origin === "trust");
    for (const path of this.#held.keys()) {
      const origin = files.find((file) => file.path === path)?.origin;
      const isFolders = origin === "project" || origin === "local";
      if (paths.includes(path) || (isTrust && isFolders)) this.#held.delete(path);
    }
    return changed;
  }

  /** Has a file count as it did; false where nothing is known of how that was. */
  hold(path: string): boolean {
    const before = this.#texts.get(path);
    if (before === undefined) return false;
    this.#held.set(path, before);
    return true;
  }

  /** Has a file that changed count as it did for now, and be one that changed the next time as well. */
  putOff(path: string): void {
    if (!this.hold(path)) return;
    this.#stamps = new Map(this.#stamps).set(path, unseen);
    this.#isPutOff = true;
  }

  holds(path: string): boolean {
    return this.#held.has(path);
  }

  /** It is there, and what it says is not known yet. */
  isUnread(path: string): boolean {
    return this.#unread.has(path);
  }

  /** All of them, those that are held as they were. It does not count before `accept`. */
  read(): Reading {
    return this.#read();
  }

  accept({ loaded, texts }: Reading): void {
    this.#loaded = loaded;
    this.#texts = texts;
  }

  #read(reader = diskReader): Reading {
    const texts: Kept = new Map();
    const read: SettingsReader["read"] = (file, maxBytes) => {
      const held = this.#held.get(file);
      const text = held === undefined ? this.#textOf(file, maxBytes, reader) : held;
      texts.set(file, text);
      return text;
    };
    const loaded = this.#options.load({ read }, this.#applied);
    return { loaded, texts };
  }

  #textOf(file: string, maxBytes: number, reader: SettingsReader): string | null {
    try {
      return reader.read(file, maxBytes);
    } catch (error) {
      if (passing.includes(systemCode(error) ?? "")) this.#unread.add(file);
      throw error;
    }
  }

  #changed(stamps: ReadonlyMap<string, string>): string[] {
    const all = new Set([...stamps.keys(), ...this.#stamps.keys()]);
    return [...all].filter((path) => (stamps.get(path) ?? "") !== (this.#stamps.get(path) ?? ""));
  }
}

export function firstSight(files: readonly WatchedFile[]): FirstSight {
  // The stamps first: what changes while it is read is found to have changed.
  const glance = new Glance(files);
  return { glance, stamps: stampsOf(files, glance), reader: readOnce(diskReader) };
}

/** Each file with the first who asks for it; a failure is one for all. */
function readOnce(reader: SettingsReader): SettingsReader {
  const known = new Map<string, () => string | null>();
  const answer = (file: string, maxBytes: number): (() => string | null) => {
    try {
      const text = reader.read(file, maxBytes);
      return () => text;
    } catch (error) {
      return () => {
        throw error;
      };
    }
  };
  return {
    read(file, maxBytes) {
      const found = known.get(file) ?? answer(file, maxBytes);
      known.set(file, found);
      return found();
    },
  };
}

/** No file's stamp. */
const unseen = "unseen";

/** Where an administrator's files are dropped in, beside his own. */
const dropIns = "managed-settings.d";

/** What is looked at in one folder. Where that was not there, one look tells of all of it. */
interface Place {
  folder: string;
  isMissing: boolean;
  seen: { path: string; found: Stats | undefined }[];
}

/** How the files, and the folders that may get more of them, stood at one moment. */
class Glance {
  readonly #places: readonly Place[];

  constructor(files: readonly WatchedFile[]) {
    const ofPolicy = files.filter(({ origin }) => origin === "policy").map(({ path }) => dirname(path));
    const policy = [...new Set(ofPolicy)];
    const paths = [...files.map(({ path }) => path), ...policy.map((folder) => childPath(folder, dropIns))];
    const folders = [...new Set(paths.map((path) => dirname(path)))];
    this.#places = folders.map((folder) => {
      const isMissing = statusOf(folder) === undefined;
      const within = paths.filter((path) => dirname(path) === folder);
      if (policy.includes(folder)) within.push(folder);
      return {
        folder,
        isMissing,
        seen: within.map((path) => ({ path, found: isMissing ? undefined : statusOf(path) })),
      };
    });
  }

  /** False where the folder of the file was not there. */
  mayHold(path: string): boolean {
    const folder = dirname(path);
    return this.#places.some((place) => place.folder === folder && !place.isMissing);
  }

  /** A folder that has come is no news before it holds one of the files. */
  isSame(): boolean {
    for (const place of this.#places) {
      if (place.isMissing && statusOf(place.folder) === undefined) continue;
      // Once it is there, what is in it tells.
      place.isMissing = false;
      for (const { path, found } of place.seen) if (!isSameFile(found, statusOf(path))) return false;
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

export interface Reading {
  loaded: LoadedSettings;
  texts: Kept;
}

function stampsOf(files: readonly WatchedFile[], glance: Glance): Stamps {
  const stamps = new Map<string, string>();
  for (const { path } of files) {
    const stamp = glance.mayHold(path) ? stampOf(path) : "";
    if (stamp !== "") stamps.set(path, stamp);
  }
  return stamps;
}

/** Empty where there is none: of another time, size or place it is another file. */
function stampOf(path: string): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "" : `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
  } catch (error) {
    return `unread ${String((error as NodeJS.ErrnoException).code)}`;
  }
}
