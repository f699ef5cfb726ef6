/** What a list and a search need of a session, read in steps from where an earlier reading ended. Few lines are parsed at all. */
import { blockText } from "../protocol/block-text.ts";
import type { ContentBlock, Message } from "../protocol/index.ts";
import { readRange } from "./file-io.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { begins, eachLine, type Line } from "./lines.ts";
import { promptOf, retractedBy } from "./list.ts";
import { recordFrom } from "./parse.ts";
import { openToRead } from "./read.ts";
import { lineStart, type TranscriptRecord } from "./record.ts";

export interface Digest {
  createdAt?: string;
  cwd?: string;
  source?: string;
  gitBranch?: string;
  forkedFrom?: string;
  title?: string;
  tag?: string | null;
  archived?: boolean;
  /** One line each, shortened. */
  firstPrompt?: string;
  lastPrompt?: string;
  /** The number of the user's messages. */
  prompts: number;
  /** Uuids of prompts that are not answered yet: hooks may still retract them. */
  unanswered?: string[];
}

export interface Reading {
  digest: Digest;
  /** Offset after the last line that was read. */
  readTo: number;
  /** The bytes before that offset, in hex: shows whether the file was only appended to since. */
  mark: string;
}

const stepBytes = 4 * 1024 * 1024;
const markBytes = 64;
/** The most characters of one message that are passed on; longer text is a document. */
const mostCharacters = 100_000;

/**
 * Reads up to `size` and passes what the user and the model said to `told`. Yields after every few megabytes. If `earlier` does not fit the
 * file, `isAnew` is called and everything is read again. Throws `TranscriptError`, or the system's error.
 */
export function* readDigest(
  fs: TranscriptFileSystem,
  { path, size, earlier }: { path: string; size: number; earlier: Reading | undefined },
  { told, isAnew }: { told: (text: string) => void; isAnew: () => void },
): Generator<Reading, Reading> {
  const descriptor = openToRead(fs, path);
  try {
    const fits =
      earlier !== undefined &&
      earlier.readTo <= size &&
      markAt(fs, descriptor, earlier.readTo) === earlier.mark &&
      !isRetracted(fs, descriptor, size, earlier);
    if (earlier !== undefined && !fits) isAnew();
    const digest: Digest = fits ? { ...earlier.digest } : { prompts: 0 };
    let readTo = fits ? earlier.readTo : 0;
    const heard: Heard = { digest, told, asked: new Map() };
    const reading = (): Reading => ({ digest: { ...digest }, readTo, mark: markAt(fs, descriptor, readTo) });
    for (let isOver = false; !isOver;) {
      const from = readTo;
      isOver = true;
      eachLine(fs, descriptor, { from, to: size }, (line) => {
        const record = recordOf(line);
        // The last line may still be being written: it counts once it is complete.
        if (!line.ended && record === undefined) return false;
        readTo = Math.min(size, line.offset + line.length + 1);
        if (record !== undefined) take(heard, record);
        // A step ends only after an answer: an unanswered prompt may still be retracted.
        if (readTo - from < stepBytes || readTo >= size || heard.asked.size > 0) return true;
        isOver = false;
        return false;
      });
      if (!isOver) yield reading();
    }
    if (heard.asked.size > 0) digest.unanswered = [...(digest.unanswered ?? []), ...heard.asked.keys()];
    settle(heard);
    return reading();
  } finally {
    fs.close(descriptor);
  }
}

function markAt(fs: TranscriptFileSystem, descriptor: number, offset: number): string {
  return readRange(fs, descriptor, Math.max(0, offset - markBytes), offset).toString("hex");
}

/** Whether something that an earlier reading counted was retracted since. */
function isRetracted(
  fs: TranscriptFileSystem,
  descriptor: number,
  size: number,
  { readTo, digest: { unanswered = [] } }: Reading,
): boolean {
  if (unanswered.length === 0) return false;
  let isFound = false;
  eachLine(fs, descriptor, { from: readTo, to: size }, ({ bytes }) => {
    if (bytes !== undefined && begins(bytes, tombstoneStart))
      isFound = retractedBy(recordFrom(bytes)).some((uuid) => unanswered.includes(uuid));
    return !isFound;
  });
  return isFound;
}

const anyStart = Buffer.from('{"v":1,"type":"');
const wanted = (["session", "title", "tag", "archived", "attachment", "tombstone"] as const).map((type) =>
  Buffer.from(lineStart(type)),
);
const [userStart, assistantStart, tombstoneStart] = (["user", "assistant", "tombstone"] as const).map((type) =>
  Buffer.from(lineStart(type)),
) as [Buffer, Buffer, Buffer];
const resultMark = Buffer.from('"type":"tool_result"');
const textMark = Buffer.from('"type":"text"');

function recordOf({ bytes, ended }: Line): TranscriptRecord | undefined {
  return bytes === undefined || (ended && !mayMatter(bytes)) ? undefined : recordFrom(bytes);
}

/** Quotation marks inside a text are escaped, so the marks below match JSON fields only. */
function mayMatter(line: Buffer): boolean {
  // The parser handles bytes that an editor or a power cut put before a line.
  if (!begins(line, anyStart)) return line.length > 0;
  if (begins(line, userStart)) return !line.includes(resultMark);
  if (begins(line, assistantStart)) return line.includes(textMark);
  return wanted.some((start) => begins(line, start));
}

interface Heard {
  digest: Digest;
  told: (text: string) => void;
  /** Prompts since the last answer, by uuid. */
  asked: Map<string, readonly ContentBlock[]>;
}

function take(heard: Heard, record: TranscriptRecord): void {
  const { digest } = heard;
  if (record.gitBranch !== undefined) digest.gitBranch = record.gitBranch;
  for (const uuid of retractedBy(record)) heard.asked.delete(uuid);
  if ("message" in record) return takeMessage(heard, record.message);
  if (record.type === "title") digest.title = record.data.title;
  if (record.type === "tag") digest.tag = record.data.tag;
  if (record.type === "archived") digest.archived = record.data.archived;
  if (record.type !== "session") return;
  const { createdAt, cwd, source, forkedFrom } = record.data;
  Object.assign(digest, { createdAt, cwd });
  if (source !== undefined) digest.source = source;
  if (typeof forkedFrom?.sessionId === "string") digest.forkedFrom = forkedFrom.sessionId;
}

function takeMessage(heard: Heard, message: Message): void {
  const said = saidIn(message);
  if (said === undefined) return;
  if (said.by === "user") return void heard.asked.set(message.uuid, said.content);
  settle(heard);
  delete heard.digest.unanswered;
  tell(said.content, heard);
}

/** The prompts asked so far can no longer be retracted: count them. */
function settle(heard: Heard): void {
  const { digest, asked } = heard;
  for (const content of asked.values()) {
    tell(content, heard);
    digest.prompts++;
    const line = promptOf({ content });
    if (line === undefined) continue;
    digest.firstPrompt ??= line;
    digest.lastPrompt = line;
  }
  asked.clear();
}

function tell(content: readonly ContentBlock[], { told }: Heard): void {
  const text = blockText(content, "\n");
  if (text !== "") told(text.slice(0, mostCharacters));
}

/** The words of a person or the model; undefined for messages that the loop wrote. */
function saidIn(message: Message): { by: "user" | "assistant"; content: readonly ContentBlock[] } | undefined {
  if (message.type === "assistant")
    return message.apiError === undefined ? { by: "assistant", content: message.content } : undefined;
  if (message.type === "attachment")
    return message.attachment.kind === "queued_command"
      ? { by: "user", content: message.attachment.prompt }
      : undefined;
  if (message.type !== "user" || message.isMeta === true || message.isCompactSummary === true) return undefined;
  if (message.content.some((block) => block.type === "tool_result")) return undefined;
  const isOfPerson = message.origin === undefined || message.origin === "human" || message.origin === "queued";
  return isOfPerson ? { by: "user", content: message.content } : undefined;
}
