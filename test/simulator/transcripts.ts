// Transcripts read from the disk by rules of their own, so that a mistake of the engine's reader or writer does not hide here.
import { isDeepStrictEqual } from "node:util";
import type { Disk } from "./disk.ts";

export interface Line {
  v: number;
  type: string;
  seq: number;
  uuid: string;
  parentUuid: string | null;
  sessionId: string;
  message?: Entry;
  toolUseResult?: unknown;
  data?: Record<string, unknown>;
}

/** Records about all messages before them: they stay when a span around them is taken out. */
const marks = new Set(["thinking_stripped", "results_cleared", "snip_boundary", "collapse_commit"]);

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
  data?: Record<string, unknown>;
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

/** Whether the engine's messages equal the recorded ones, apart from the order of fields. */
export function hasSameMessages(messages: readonly unknown[], conversation: readonly Entry[]): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(messages)), conversation);
}

/** Removes the fields that a line has for other programs, and makes a block of a prompt's text. */
function withoutSharedFields(entry: Entry, line: Line): Entry {
  const { role: _, content, ...own } = entry;
  if (line.type === "assistant") {
    const { id: __, usage: ___, stop_reason: ____, stop_sequence: _____, ...rest } = own;
    return { ...rest, type: "assistant", ...(content === undefined ? {} : { content }) } as Entry;
  }
  if (entry.type === "response_end") {
    const { id: __, usage, ...rest } = own;
    const names = Object.entries(usage as object).filter(([name]) => !name.includes("_"));
    return { ...rest, usage: Object.fromEntries(names) } as Entry;
  }
  if (entry.type !== "user") return entry;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const { toolUseResult } = line;
  return { ...own, content: blocks, ...(toolUseResult === undefined ? {} : { toolUseResult }) } as Entry;
}

/** A transcript file. Each read continues where the last one ended. */
export class Transcript {
  lines: Line[] = [];
  /** The beginnings of lines that could not be parsed. */
  broken: string[] = [];
  readonly uuids = new Set<string>();
  readonly started = new Set<string>();
  /** Calls whose results were replaced by a line. */
  readonly cleared = new Set<string>();
  /** How often each queued input has joined the conversation. */
  readonly sources = new Map<string, number>();
  /** The conversation that results from the records. */
  conversation: Entry[] = [];
  /** The conversation that each compaction boundary replaced. */
  readonly replaced = new Map<string, readonly Entry[]>();
  readonly #disk: Disk;
  readonly #path: string;
  /** The uuids of the first lines: the records that a death must not take. */
  readonly #safe: string[] = [];
  /** How many of the safe records are synced, so that a power cut must not take them either. */
  #synced = 0;
  #read = 0;
  #epoch = 0;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  read(): this {
    const [size, epoch] = [this.#disk.size(this.#path), this.#disk.epoch(this.#path)];
    if (size === this.#read && epoch === this.#epoch) return this;
    if (epoch !== this.#epoch) this.#forget();
    this.#epoch = epoch;
    const fresh = this.#disk.text(this.#path, this.#read);
    const end = fresh.lastIndexOf("\n") + 1;
    const whole = fresh.slice(0, end);
    for (const line of whole.split("\n")) if (line !== "") this.#take(line);
    this.#read += Buffer.byteLength(whole);
    return this;
  }

  /** From now on, neither a death nor a power cut must take the records up to the last one of this type. */
  markSynced(type: string): void {
    this.#synced = Math.max(this.#synced, this.lines.findLastIndex((line) => line.type === type) + 1);
    this.#markSafe(this.#synced);
  }

  /** From now on, the death of a process must not take any record. */
  markWritten(): void {
    this.#markSafe(this.lines.length);
  }

  #markSafe(end: number): void {
    for (const { uuid } of this.lines.slice(this.#safe.length, end)) this.#safe.push(uuid);
  }

  /** A power cut may take records that are not synced: all of them, if the session syncs none. */
  forgetUnsynced(syncsRecords: boolean): void {
    if (!syncsRecords) this.#synced = 0;
    this.#safe.length = this.#synced;
  }

  /** The uuid of the first safe record that is not in its place any more. */
  get lostRecord(): string | undefined {
    return this.#safe.find((uuid, at) => this.lines[at]?.uuid !== uuid);
  }

  /** The text after the last line feed. */
  get tail(): string {
    return this.#disk.text(this.#path, this.#read);
  }

  /** A power cut may take the last line feed alone: a record that is complete without it counts for a resume. */
  takeTail(): void {
    const { tail } = this;
    try {
      JSON.parse(tail);
    } catch {
      return;
    }
    this.#take(tail);
    this.#read += Buffer.byteLength(tail);
  }

  #forget(): void {
    this.lines = [];
    this.broken = [];
    this.conversation = [];
    this.uuids.clear();
    this.started.clear();
    this.cleared.clear();
    this.sources.clear();
    this.replaced.clear();
    this.#read = 0;
  }

  #take(text: string): void {
    let line: Line;
    try {
      line = JSON.parse(text) as Line;
    } catch {
      this.broken.push(text.slice(0, 80));
      return;
    }
    // An answer has the type of the API's message; the kinds that only pawl has are named by their message.
    if (line.type !== "assistant") line.type = line.message?.type ?? line.type;
    this.lines.push(line);
    this.uuids.add(line.uuid);
    const source = line.message?.attachment?.["sourceUuid"];
    if (typeof source === "string") this.sources.set(source, (this.sources.get(source) ?? 0) + 1);
    if (line.type === "tool_started") this.started.add(String(line.data?.["toolUseId"]));
    if (line.message !== undefined) this.#fold(withoutSharedFields(line.message, line));
  }

  #fold(entry: Entry): void {
    if (entry.type === "tombstone")
      this.conversation = this.conversation.filter(({ uuid }) => entry.targets?.includes(uuid) !== true);
    else if (entry.type === "compact_boundary") {
      this.replaced.set(entry.uuid, this.conversation);
      this.conversation = [...(entry.messages ?? [])];
      for (const { uuid } of this.conversation) this.uuids.add(uuid);
    } else {
      if (entry.type === "results_cleared") this.#clear(entry);
      if (entry.type === "collapse_commit") this.#collapse(entry);
      if (entry.type === "snip_boundary") this.#snip(entry);
      this.conversation.push(entry);
    }
  }

  /** Replaces the contents of old results by a line each. */
  #clear({ cleared }: Entry): void {
    for (const { toolUseId } of cleared as { toolUseId: string }[]) this.cleared.add(toolUseId);
    const markers = new Map(
      (cleared as { toolUseId: string; marker: string }[]).map((each) => [each.toolUseId, each.marker]),
    );
    this.conversation = this.conversation.map((entry) => {
      if (entry.type !== "user" || !entry.content?.some(({ tool_use_id: id }) => markers.has(id ?? ""))) return entry;
      const content = entry.content.map((block) => {
        const marker = block.type === "tool_result" ? markers.get(block.tool_use_id ?? "") : undefined;
        return marker === undefined ? block : { ...block, content: marker };
      });
      const { toolUseResult: _, ...rest } = entry;
      return { ...rest, content };
    });
  }

  /** Replaces a span by the messages that stand for it. */
  #collapse({ targets = [], messages = [] }: Entry): void {
    const at = this.conversation.findIndex(({ uuid }) => targets.includes(uuid));
    if (at < 0) return;
    const rest = this.conversation.filter(({ uuid }) => !targets.includes(uuid));
    this.conversation = rest.toSpliced(at, 0, ...messages);
    for (const { uuid } of messages) this.uuids.add(uuid);
  }

  #snip({ fromUuid, toUuid }: Entry): void {
    const from = this.conversation.findIndex(({ uuid }) => uuid === fromUuid);
    const to = this.conversation.findIndex(({ uuid }) => uuid === toUuid);
    if (from < 0 || to < from) return;
    this.conversation = this.conversation.filter(({ type }, at) => at < from || at > to || marks.has(type));
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

  forgetUnsynced(syncsRecords: boolean): void {
    for (const transcript of this.#byPath.values()) transcript.forgetUnsynced(syncsRecords);
  }
}
