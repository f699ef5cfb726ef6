// Transcripts read from the disk by rules of their own, so that a mistake of the engine's reader or writer does not hide here.
import type { Disk } from "./disk.ts";

export interface Line {
  v: number;
  type: string;
  seq: number;
  uuid: string;
  parentUuid: string | null;
  sessionId: string;
  message?: Entry;
  data?: Record<string, unknown>;
}

/** A message as plain data. */
export interface Entry {
  type: string;
  uuid: string;
  content?: Block[];
  messageId?: string;
  model?: string;
  origin?: string;
  isMeta?: boolean;
  apiError?: unknown;
  targets?: string[];
  messages?: Entry[];
  attachment?: { kind: string; [key: string]: unknown };
  costUsd?: number;
  transition?: { reason: string };
  name?: string;
  preTokens?: number;
  postTokens?: number;
  [key: string]: unknown;
}

export interface Block {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: string | Block[];
  is_error?: boolean;
  [key: string]: unknown;
}

/** One file, read on from where it was read to. */
export class Transcript {
  lines: Line[] = [];
  /** What could not be read, in words. */
  broken: string[] = [];
  readonly uuids = new Set<string>();
  readonly started = new Set<string>();
  /** Queued input that has joined. */
  readonly sources = new Set<string>();
  /** The conversation: what the records add up to. */
  conversation: Entry[] = [];
  readonly #disk: Disk;
  readonly #path: string;
  #text = "";

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  read(): this {
    const size = this.#disk.size(this.#path);
    const known = Buffer.byteLength(this.#text);
    if (size === known) return this;
    const text = this.#disk.text(this.#path);
    if (!text.startsWith(this.#text)) this.#forget();
    const fresh = text.slice(this.#text.length);
    const end = fresh.lastIndexOf("\n") + 1;
    for (const line of fresh.slice(0, end).split("\n")) if (line !== "") this.#take(line);
    this.#text += fresh.slice(0, end);
    return this;
  }

  /** What stands behind the last line feed. */
  get tail(): string {
    return this.#disk.text(this.#path).slice(this.#text.length);
  }

  #forget(): void {
    this.lines = [];
    this.broken = [];
    this.conversation = [];
    this.uuids.clear();
    this.started.clear();
    this.sources.clear();
    this.#text = "";
  }

  #take(text: string): void {
    let line: Line;
    try {
      line = JSON.parse(text) as Line;
    } catch {
      this.broken.push(text.slice(0, 80));
      return;
    }
    this.lines.push(line);
    this.uuids.add(line.uuid);
    const source = line.message?.attachment?.["sourceUuid"];
    if (typeof source === "string") this.sources.add(source);
    if (line.type === "tool_started") this.started.add(String(line.data?.["toolUseId"]));
    if (line.message !== undefined) this.#fold(line.message);
  }

  #fold(entry: Entry): void {
    if (entry.type === "tombstone")
      this.conversation = this.conversation.filter(({ uuid }) => entry.targets?.includes(uuid) !== true);
    else if (entry.type === "compact_boundary") {
      this.conversation = [...(entry.messages ?? [])];
      for (const { uuid } of this.conversation) this.uuids.add(uuid);
    } else this.conversation.push(entry);
  }
}

export class Transcripts {
  readonly #disk: Disk;
  readonly #byPath = new Map<string, Transcript>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  at(path: string): Transcript {
    let found = this.#byPath.get(path);
    if (found === undefined) {
      found = new Transcript(this.#disk, path);
      this.#byPath.set(path, found);
    }
    return found.read();
  }
}
