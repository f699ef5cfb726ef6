/** What a list and a search need of a session, read in steps from where an earlier reading ended. Few lines are parsed at all. */
import { isAnswer } from "../protocol/answers.ts";
import { blockText } from "../protocol/block-text.ts";
import type { ContentBlock, Message } from "../protocol/index.ts";
import { personContent } from "../protocol/typed-blocks.ts";
import { readRange } from "./file-io.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { startsWithBytes, eachLine, type Line } from "./lines.ts";
import { promptLine } from "./list-sessions.ts";
import { findLastMessageTime, isMark, isMarkRecord, messageTimeOf } from "./marks.ts";
import { parseRecord, tryParseRecord, type ParseResult } from "./parse.ts";
import { openForReading } from "./read.ts";
import { lineStart, type TranscriptRecord } from "./record.ts";
import { recordAt } from "./search-from-end.ts";
import { isTombstone, retractedUuids } from "./tombstones.ts";

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
  /** When the last message was recorded, ms since the epoch; unknown if the end of the file does not tell. */
  lastMessageAt?: number;
  /** The number of the user's messages. */
  prompts: number;
  /** Uuids of prompts that are not answered yet: hooks may still retract them. */
  unanswered?: string[];
}

export interface DigestReading {
  digest: Digest;
  /** Offset after the last line that was read. */
  readTo: number;
  /** The bytes before that offset, in hex: shows whether the file was only appended to since. */
  mark: string;
}

const stepBytes = 4 * 1024 * 1024;
const markBytes = 64;
/** The most characters of one message that are passed on; longer text is a document. */
const maxMessageCharacters = 100_000;

/**
 * Reads up to `size` and passes what the user and the model said to `onText`. Yields after every few megabytes. If `earlier` does not fit
 * the file, `onRestart` is called and everything is read again. Throws `TranscriptError`, or the system's error.
 */
export function* readDigest(
  fs: TranscriptFileSystem,
  { path, size, earlier }: { path: string; size: number; earlier: DigestReading | undefined },
  { onText, onRestart }: { onText: (text: string) => void; onRestart: () => void },
): Generator<DigestReading, DigestReading> {
  const descriptor = openForReading(fs, path);
  try {
    const fits =
      earlier !== undefined &&
      earlier.readTo <= size &&
      markAt(fs, descriptor, earlier.readTo) === earlier.mark &&
      !hasRetraction(fs, descriptor, size, earlier);
    if (earlier !== undefined && !fits) onRestart();
    const digest: Digest = fits ? { ...earlier.digest } : { prompts: 0 };
    let readTo = fits ? earlier.readTo : 0;
    const state: DigestState = { digest, onText, unansweredPrompts: new Map() };
    /** Where the last line begins that is no title, tag or archive mark: those may be added at any time. */
    let lastOffset: number | undefined;
    const reading = (): DigestReading => {
      if (lastOffset !== undefined)
        digest.lastMessageAt =
          messageTimeOf(recordAt(fs, descriptor, lastOffset, size)) ?? findLastMessageTime(fs, descriptor, readTo);
      if (digest.lastMessageAt === undefined) delete digest.lastMessageAt;
      return { digest: { ...digest }, readTo, mark: markAt(fs, descriptor, readTo) };
    };
    for (let isOver = false; !isOver;) {
      const from = readTo;
      isOver = true;
      eachLine(fs, descriptor, { from, to: size }, (line) => {
        const parsed = parseIfRelevant(line);
        const record = parsed?.ok === true ? parsed.record : undefined;
        const clientMark = parsed?.ok === false && parsed.unknown === true ? parsed.mark : undefined;
        // The last line may still be being written: it counts once it is complete.
        if (!line.hasLineFeed && record === undefined) return false;
        readTo = Math.min(size, line.offset + line.length + 1);
        if (mayBeMessage(line, record)) lastOffset = line.offset;
        if (record !== undefined) takeRecord(state, record);
        Object.assign(digest, clientMark);
        // A step ends only after an answer: an unanswered prompt may still be retracted.
        if (readTo - from < stepBytes || readTo >= size || state.unansweredPrompts.size > 0) return true;
        isOver = false;
        return false;
      });
      if (!isOver) yield reading();
    }
    if (state.unansweredPrompts.size > 0)
      digest.unanswered = [...(digest.unanswered ?? []), ...state.unansweredPrompts.keys()];
    countPrompts(state);
    return reading();
  } finally {
    fs.close(descriptor);
  }
}

/** Few lines are parsed, so a line that is not is judged by its beginning. */
function mayBeMessage({ bytes }: Line, record: TranscriptRecord | undefined): boolean {
  if (record !== undefined) return !isMarkRecord(record);
  return bytes !== undefined && startsWithBytes(bytes, anyStart) && !isMark(bytes);
}

function markAt(fs: TranscriptFileSystem, descriptor: number, offset: number): string {
  return readRange(fs, descriptor, Math.max(0, offset - markBytes), offset).toString("hex");
}

/** Whether something that an earlier reading counted was retracted since. */
function hasRetraction(
  fs: TranscriptFileSystem,
  descriptor: number,
  size: number,
  { readTo, digest: { unanswered = [] } }: DigestReading,
): boolean {
  if (unanswered.length === 0) return false;
  let isFound = false;
  eachLine(fs, descriptor, { from: readTo, to: size }, ({ bytes }) => {
    if (bytes !== undefined && isTombstone(bytes))
      isFound = retractedUuids(tryParseRecord(bytes)).some((uuid) => unanswered.includes(uuid));
    return !isFound;
  });
  return isFound;
}

const anyStart = Buffer.from('{"v":1,"type":"');
const relevantStarts = (["session", "title", "tag", "archived", "attachment"] as const).map((type) =>
  Buffer.from(lineStart(type)),
);
const [userStart, assistantStart] = (["user", "assistant"] as const).map((type) => Buffer.from(lineStart(type))) as [
  Buffer,
  Buffer,
];
const resultMark = Buffer.from('"type":"tool_result"');
const textMark = Buffer.from('"type":"text"');

function parseIfRelevant({ bytes, hasLineFeed }: Line): ParseResult | undefined {
  return bytes === undefined || (hasLineFeed && !mayBeRelevant(bytes)) ? undefined : parseRecord(bytes);
}

/** Quotation marks inside a text are escaped, so the marks below match JSON fields only. */
function mayBeRelevant(line: Buffer): boolean {
  // The parser handles bytes that an editor or a power cut put before a line.
  if (!startsWithBytes(line, anyStart)) return line.length > 0;
  if (startsWithBytes(line, userStart)) return !line.includes(resultMark);
  if (startsWithBytes(line, assistantStart)) return line.includes(textMark);
  return isTombstone(line) || relevantStarts.some((start) => startsWithBytes(line, start));
}

interface DigestState {
  digest: Digest;
  onText: (text: string) => void;
  /** Prompts since the last answer, by uuid. */
  unansweredPrompts: Map<string, readonly ContentBlock[]>;
}

function takeRecord(state: DigestState, record: TranscriptRecord): void {
  const { digest } = state;
  if (record.gitBranch !== undefined) digest.gitBranch = record.gitBranch;
  for (const uuid of retractedUuids(record)) state.unansweredPrompts.delete(uuid);
  if ("message" in record) return takeMessage(state, record.message);
  if (record.type === "title") digest.title = record.data.title;
  if (record.type === "tag") digest.tag = record.data.tag;
  if (record.type === "archived") digest.archived = record.data.archived;
  if (record.type !== "session") return;
  const { createdAt, cwd, source, forkedFrom } = record.data;
  Object.assign(digest, { createdAt, cwd });
  if (source !== undefined) digest.source = source;
  if (typeof forkedFrom?.sessionId === "string") digest.forkedFrom = forkedFrom.sessionId;
}

function takeMessage(state: DigestState, message: Message): void {
  const prompt = personContent(message);
  if (prompt !== undefined) return void state.unansweredPrompts.set(message.uuid, prompt);
  if (!isAnswer(message)) return;
  countPrompts(state);
  delete state.digest.unanswered;
  passText(message.content, state);
}

/** The prompts asked so far can no longer be retracted: count them. */
function countPrompts(state: DigestState): void {
  const { digest, unansweredPrompts } = state;
  for (const content of unansweredPrompts.values()) {
    passText(content, state);
    digest.prompts++;
    const line = promptLine({ content });
    if (line === undefined) continue;
    digest.firstPrompt ??= line;
    digest.lastPrompt = line;
  }
  unansweredPrompts.clear();
}

function passText(content: readonly ContentBlock[], { onText }: DigestState): void {
  const text = blockText(content, "\n");
  if (text !== "") onText(text.slice(0, maxMessageCharacters));
}
