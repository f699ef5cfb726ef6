/**
 * Settings that change during a session. Changes are detected by file stamps when it matters: there is no watcher and no timer. A file that
 * cannot be understood, or whose change was refused, counts as it did before.
 */
import { newObject, type JsonObject } from "../lib/json.ts";
import { systemCode } from "../lib/system-reason.ts";
import { diskReader, type LoadedSettings, type SettingsReader } from "./load.ts";
import { isProjectSource } from "./source.ts";
import { FileStates, stampsOf, unseenStamp, type Stamps, type WatchedFile } from "./watched-files.ts";

export interface WatchOptions {
  /** The files there may be, whether or not they exist. */
  files: () => readonly WatchedFile[];
  load: (reader: SettingsReader, applied: Readonly<JsonObject> | undefined) => LoadedSettings;
  /** What the session trusts, by the hash of the folder's content. */
  trust?: SessionTrust;
  /** The files as they were just seen. Default: they are looked at now. */
  firstSnapshot?: SettingsSnapshot;
}

/** Files as they were at one moment, with their texts read later at most once. Many sessions may start from the same one. */
export interface SettingsSnapshot {
  states: FileStates;
  stamps: Stamps;
  reader: SettingsReader;
}

/** What this session trusts besides the user's list: the content `--trust` was given for, and changes made to it at the user's request. */
export interface SessionTrust {
  trusts: (hash: string) => boolean;
  trust: (hash: string) => void;
}

/** The texts of files as they count; null for a file that did not exist. */
type FileTexts = Map<string, string | null>;

export interface SettingsReading {
  loaded: LoadedSettings;
  texts: FileTexts;
}

/** Errors of a machine short of resources, or of a disk or network that fails for a moment. */
const transientErrors: readonly string[] = [
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "EAGAIN",
  "EINTR",
  "EIO",
  "ESTALE",
  "ETIMEDOUT",
];

export class SettingsWatch {
  readonly #options: WatchOptions;
  #stamps: Stamps;
  /** Checked before each call, so it takes few system calls and builds nothing. */
  #states: FileStates;
  /** The texts of the files as they count. */
  #texts: FileTexts;
  /** Files that count as they were before. */
  readonly #heldTexts: FileTexts = new Map();
  #loaded: LoadedSettings;
  #applied: JsonObject | undefined;
  #isOverlayTaken = true;
  /** Whether files must be checked once more, changed or not. */
  #isRecheckDue = false;
  /** Files that the machine could not read last time; the next attempt may succeed. */
  readonly #unread = new Set<string>();

  constructor(options: WatchOptions) {
    this.#options = options;
    const { states, stamps, reader } = options.firstSnapshot ?? takeSettingsSnapshot(options.files());
    this.#states = states;
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
    return !this.#isOverlayTaken || this.#isRecheckDue || this.#unread.size > 0 || !this.#states.isSame();
  }

  /** The settings laid over the flag so far. */
  get applied(): Readonly<JsonObject> | undefined {
    return this.#applied;
  }

  /** Lays these settings over the flag's, which then counts as changed. */
  apply(over: Readonly<JsonObject>): void {
    this.#applied = Object.assign(newObject(), this.#applied, over);
    this.#isOverlayTaken = false;
  }

  /** Returns the files that changed since the last call. From now on they count as they are, until they are held. */
  takeChanges(): WatchedFile[] {
    const files = this.#options.files();
    this.#states = new FileStates(files);
    const stamps = stampsOf(files, this.#states);
    const paths = [...new Set([...this.#changedPaths(stamps), ...this.#unread])];
    this.#unread.clear();
    this.#stamps = stamps;
    const changed = paths.map((path) => files.find((file) => file.path === path) ?? { path, origin: "user" as const });
    if (!this.#isOverlayTaken) changed.push({ path: "--settings", origin: "flag" });
    this.#isOverlayTaken = true;
    this.#isRecheckDue = false;
    const hasTrustChanged = changed.some(({ origin }) => origin === "trust");
    for (const path of this.#heldTexts.keys()) {
      const file = files.find((each) => each.path === path);
      const isFromFolder = file !== undefined && isProjectSource(file);
      if (paths.includes(path) || (hasTrustChanged && isFromFolder)) this.#heldTexts.delete(path);
    }
    return changed;
  }

  /** Makes a file count as it did before. Returns false if its earlier text is not known. */
  keepEarlier(path: string): boolean {
    const before = this.#texts.get(path);
    if (before === undefined) return false;
    this.#heldTexts.set(path, before);
    return true;
  }

  /** Makes a changed file count as before for now, and count as changed again next time. */
  postpone(path: string): void {
    if (!this.keepEarlier(path)) return;
    this.#stamps = new Map(this.#stamps).set(path, unseenStamp);
    this.#isRecheckDue = true;
  }

  isHeld(path: string): boolean {
    return this.#heldTexts.has(path);
  }

  /** Whether the file exists but has not been readable yet. */
  isUnread(path: string): boolean {
    return this.#unread.has(path);
  }

  /** Reads all files, held ones as they were. The result does not count before `accept`. */
  read(): SettingsReading {
    return this.#read();
  }

  accept({ loaded, texts }: SettingsReading): void {
    this.#loaded = loaded;
    this.#texts = texts;
  }

  #read(reader = diskReader): SettingsReading {
    const texts: FileTexts = new Map();
    const read: SettingsReader["read"] = (file, maxBytes) => {
      const held = this.#heldTexts.get(file);
      const text = held === undefined ? this.#readText(file, maxBytes, reader) : held;
      texts.set(file, text);
      return text;
    };
    const loaded = this.#options.load({ read }, this.#applied);
    return { loaded, texts };
  }

  #readText(file: string, maxBytes: number, reader: SettingsReader): string | null {
    try {
      return reader.read(file, maxBytes);
    } catch (error) {
      if (transientErrors.includes(systemCode(error) ?? "")) this.#unread.add(file);
      throw error;
    }
  }

  #changedPaths(stamps: ReadonlyMap<string, string>): string[] {
    const all = new Set([...stamps.keys(), ...this.#stamps.keys()]);
    return [...all].filter((path) => (stamps.get(path) ?? "") !== (this.#stamps.get(path) ?? ""));
  }
}

export function takeSettingsSnapshot(files: readonly WatchedFile[]): SettingsSnapshot {
  // The stamps are taken first, so that a change during reading is detected.
  const states = new FileStates(files);
  return { states: states, stamps: stampsOf(files, states), reader: createCachedReader(diskReader) };
}

/** Reads each file once, on first request; later requests get the same text or error. */
function createCachedReader(reader: SettingsReader): SettingsReader {
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
