/** Copies records from one file to another: remapped, up to a message or a time, together with later records that belong before it. */
import { jsonLine } from "../lib/json-line.ts";
import type { Message, UserMessage } from "../protocol/index.ts";
import type { Cut } from "./cut.ts";
import { writeAll } from "./file-io.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { eachLine, type Line } from "./lines.ts";
import type { ClientMark } from "./line-format.ts";
import { parseRecord, tryParseRecord } from "./parse.ts";
import type { FactData, FactKind, FactRecord, MessageRecord, RecordBase, TranscriptRecord } from "./record.ts";
import { clientLine, clientReachBytes } from "./client-lines.ts";
import { lineText } from "./line-bytes.ts";
import { toLineObject, remapRecord, remapMessage } from "./remap.ts";

export interface CopyOptions {
  fs: TranscriptFileSystem;
  newId: string;
  mapUuid: (uuid: string) => string;
  /** ms since the epoch. */
  now: () => number;
  /** The place to cut, and `at`, the uuid of the last message. */
  cut?: Cut & { at: string };
  /** ISO 8601: records with a later timestamp are not copied. */
  until?: string | undefined;
  title?: string | undefined;
  cwd?: string | undefined;
}

const batchBytes = 1024 * 1024;

/** Both files are descriptors; `source` must be open for reading. */
export function copyRecords(
  files: { source: number; target: number },
  options: CopyOptions,
): { records: number; hasMessages: boolean; skipped: number; unknown: number } {
  const { fs, cut } = options;
  const copy = new RecordCopier(files.target, options);
  const size = fs.status(files.source).size;
  const origin = readForkOrigin(fs, files.source, cut);
  eachLine(fs, files.source, { to: Math.min(size, cut?.end ?? Infinity) }, (line) => copy.copyLine(line, origin));
  for (const toolUseId of cut?.startedCalls ?? []) copy.addFact("tool_started", { toolUseId }, `begun ${toolUseId}`);
  for (const result of cut?.results ?? []) copy.addMessage(result);
  if (options.title !== undefined) copy.addFact("title", { title: options.title }, "own title");
  copy.repeatForClients();
  copy.flush();
  const { records, hasMessages, skipped, unknown } = copy;
  return { records, hasMessages, skipped, unknown };
}

type ForkOrigin = { sessionId: string; uuid: string | null };

class RecordCopier {
  records = 0;
  skipped = 0;
  unknown = 0;
  readonly #target: number;
  readonly #options: CopyOptions;
  #leafUuid: string | null = null;
  /** Uuid of the previous message in the original. */
  #previousUuid: string | null = null;
  #last: RecordBase | undefined;
  #batch: string[] = [];
  #batchLength = 0;
  /** The last line for clients of each kind, and the number of characters before its end. */
  readonly #clientLines = new Map<string, { text: string; end: number }>();
  #length = 0;

  constructor(target: number, options: CopyOptions) {
    this.#target = target;
    this.#options = options;
  }

  copyLine(line: Line, origin: ForkOrigin): void {
    if (line.length === 0) return;
    const parsed = line.bytes === undefined ? undefined : parseRecord(line.bytes);
    if (parsed?.ok !== true) {
      if (parsed?.unknown !== true) this.skipped++;
      else if (parsed.mark === undefined) this.unknown++;
      else this.#copyClientMark(parsed.mark);
      return;
    }
    const { cut, until, now, mapUuid, cwd } = this.#options;
    const { record } = parsed;
    // Archiving applies to the original only.
    if (record.type === "archived") return;
    // A message whose parent is not the previous message follows a loss; the copy keeps that gap.
    const isAfterLoss = "message" in record && record.parentUuid !== this.#previousUuid;
    if ("message" in record) this.#previousUuid = record.uuid;
    if (until !== undefined && record.timestamp > until) return;
    if (cut?.retracted.has(record.uuid) === true) return;
    const place = this.#position();
    if (isAfterLoss) place.parentUuid = record.parentUuid === null ? null : mapUuid(record.parentUuid);
    const copy = remapRecord(trimToCut(record, cut), place, mapUuid);
    if ("snapshot" in copy) delete copy.snapshot?.archived;
    if (copy.type === "session")
      copy.data = {
        ...copy.data,
        createdAt: new Date(now()).toISOString(),
        cwd: cwd ?? copy.data.cwd,
        forkedFrom: origin,
      };
    this.#addRecord(copy);
  }

  #copyClientMark({ title, tag }: ClientMark): void {
    if (this.#options.until !== undefined) return;
    const { records } = this;
    if (title !== undefined) this.addFact("title", { title }, `title before ${records}`);
    if (tag !== undefined) this.addFact("tag", { tag }, `tag before ${records}`);
  }

  addMessage(message: UserMessage): void {
    if (this.#last === undefined) return;
    const own = remapMessage(message, this.#options.mapUuid);
    const base = { ...this.#last, ...this.#position(), uuid: own.uuid, timestamp: own.timestamp };
    this.#addRecord({ ...base, type: own.type, message: own } as MessageRecord);
  }

  /** Adds a fact that only the copy has: its uuid derives from `name`, not from another record's. */
  addFact<K extends FactKind>(type: K, data: FactData[K], name: string): void {
    if (this.#last === undefined) return;
    const { mapUuid, now } = this.#options;
    const own = { uuid: mapUuid(name), timestamp: new Date(now()).toISOString() };
    this.#addRecord({ ...this.#last, ...this.#position(), ...own, type, data } as FactRecord);
  }

  flush(): void {
    if (this.#batchLength > 0) writeAll(this.#options.fs, this.#target, Buffer.from(this.#batch.join("")));
    this.#batch = [];
    this.#batchLength = 0;
  }

  get hasMessages(): boolean {
    return this.#leafUuid !== null;
  }

  #position() {
    return { seq: this.records, parentUuid: this.#leafUuid, sessionId: this.#options.newId };
  }

  #addRecord(record: TranscriptRecord): void {
    const own = record.type === "title" || record.type === "tag" ? record : undefined;
    const clientText = own === undefined ? undefined : lineTextOf(clientLine(own.type, own.data, own.sessionId));
    // A mark is in the original twice: in one of the session's own lines and in one for clients.
    if (own !== undefined && clientText !== undefined && this.#clientLines.get(own.type)?.text === clientText) return;
    if ("message" in record) this.#leafUuid = record.uuid;
    const { v, seq, uuid, parentUuid, sessionId, timestamp, cwd, version, gitBranch, isSidechain, agentId } = record;
    this.#last = { v, seq, uuid, parentUuid, sessionId, timestamp, cwd, version, gitBranch, isSidechain, agentId };
    this.#addLine(jsonLine(toLineObject(record)));
    if (clientText !== undefined) this.#addLine(clientText);
    if (own !== undefined && clientText !== undefined)
      this.#clientLines.set(own.type, { text: clientText, end: this.#length });
    else if (own !== undefined) this.#clientLines.delete(own.type);
    this.records++;
    if (this.#batchLength >= batchBytes) this.flush();
  }

  #addLine(text: string): void {
    this.#batch.push(`${text}\n`);
    this.#batchLength += text.length;
    this.#length += text.length;
  }

  /** As at the end of a session: a character has at most three bytes. */
  repeatForClients(): void {
    const far = [...this.#clientLines.values()].filter(({ end }) => 3 * (this.#length - end) > clientReachBytes);
    for (const { text } of far) this.#addLine(text);
  }
}

function lineTextOf(line: ReturnType<typeof clientLine>): string | undefined {
  return line === undefined ? undefined : lineText(line);
}

/** If the last message is inside a boundary, the boundary is cut after it; retracted messages are removed from it. */
function trimToCut(record: TranscriptRecord, cut: CopyOptions["cut"]): TranscriptRecord {
  if (cut === undefined || !("message" in record) || record.message.type !== "compact_boundary") return record;
  const all = record.message.messages;
  const last = cut.isInner ? all.findIndex(({ uuid }) => uuid === cut.at) : -1;
  const within: Message[] = last < 0 ? all : all.slice(0, last + 1);
  const messages = within.filter(({ uuid }) => !cut.retracted.has(uuid));
  return { ...record, message: { ...record.message, messages } };
}

/** Session and last message of the original, for `forkedFrom`. */
function readForkOrigin(fs: TranscriptFileSystem, source: number, cut: CopyOptions["cut"]): ForkOrigin {
  const last: ForkOrigin = { sessionId: "", uuid: cut?.at ?? null };
  eachLine(fs, source, {}, ({ bytes }) => {
    const record = tryParseRecord(bytes);
    if (record === undefined) return true;
    last.sessionId = record.sessionId;
    if (cut === undefined && "message" in record) last.uuid = record.uuid;
    // The message is known already, and any record names the session.
    return cut === undefined;
  });
  return last;
}
