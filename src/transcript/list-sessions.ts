/** Reads what lists show of a session, quickly: parses the head of its file, and searches for its title from the end. */
import { join } from "node:path";
import { blockText } from "../protocol/block-text.ts";
import type { ContentBlock, UserMessage } from "../protocol/index.ts";
import { headOf } from "../lib/text-cut.ts";
import { systemCode } from "../lib/system-reason.ts";
import { openRegular } from "./file-io.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { startsWithBytes, eachLine } from "./lines.ts";
import { findLastMessageTime, newestMarks } from "./marks.ts";
import { tryParseRecord } from "./parse.ts";
import { isSessionId } from "./paths.ts";
import { lineStart, type SessionFacts, type TranscriptRecord } from "./record.ts";
import type { SessionFile, SessionSummary } from "./summary.ts";
import { retractedUuids } from "./tombstones.ts";

const headBytes = 256 * 1024;
const promptLength = 200;
const firstLineBytes = [800, 4_096];

export function sessionFilesIn(folder: string): SessionFile[] {
  return sessionFiles(nodeFileSystem, folder);
}

/** The transcripts in a folder, newest first by file time; none is opened. `isWanted` gets the file name without its extension. */
export function sessionFiles(fs: TranscriptFileSystem, folder: string, isWanted = isSessionId): SessionFile[] {
  const files: SessionFile[] = [];
  for (const name of listNames(fs, folder)) {
    const sessionId = name.slice(0, -".jsonl".length);
    if (!name.endsWith(".jsonl") || !isWanted(sessionId)) continue;
    const path = join(folder, name);
    const status = fs.statusOf(path);
    if (status?.isFile === true && status.size > 0) {
      files.push({ sessionId, path, sizeBytes: status.size, modifiedAt: status.modifiedAt });
    }
  }
  return files.sort((one, other) => other.modifiedAt - one.modifiedAt || one.sessionId.localeCompare(other.sessionId));
}

/** A file that was found by another way than a list; one that is gone counts as empty. */
export function sessionFileOf(
  { sessionId, path }: Pick<SessionFile, "sessionId" | "path">,
  fs: TranscriptFileSystem = nodeFileSystem,
): SessionFile {
  const { size = 0, modifiedAt = 0 } = fs.statusOf(path) ?? {};
  return { sessionId, path, sizeBytes: size, modifiedAt };
}

export function listNames(fs: TranscriptFileSystem, folder: string): string[] {
  try {
    return fs.list(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return [];
    throw error;
  }
}

/**
 * The list entry of one file; undefined if the file is gone or may not be read. `headOnly` leaves out title and tag, which may require
 * reading the whole file.
 */
export function readSummary(
  file: SessionFile,
  fs: TranscriptFileSystem = nodeFileSystem,
  headOnly = false,
): SessionSummary | undefined {
  return withOpenFile(file, fs, (descriptor) => {
    const head = readHead(fs, descriptor, file.sizeBytes);
    return { ...file, ...head, ...(headOnly ? {} : newestMarks(fs, descriptor, file.sizeBytes)) };
  });
}

/** Opens the file for `use` and closes it again. Undefined if it cannot be opened. */
export function withOpenFile<T>(
  { path }: SessionFile,
  fs: TranscriptFileSystem,
  use: (descriptor: number) => T,
): T | undefined {
  let descriptor: number;
  try {
    descriptor = openRegular(fs, path, "read");
  } catch {
    // Gone since it was listed, or not readable: it is not offered.
    return undefined;
  }
  try {
    return use(descriptor);
  } finally {
    fs.close(descriptor);
  }
}

/** Whether the session was archived. Searches its file from the end back to the last boundary. */
export function isArchived({ path, sizeBytes }: SessionFile, fs: TranscriptFileSystem): boolean {
  const descriptor = openRegular(fs, path, "read");
  try {
    return newestMarks(fs, descriptor, sizeBytes, ["archived"]).archived === true;
  } finally {
    fs.close(descriptor);
  }
}

/** When the last message was recorded, ms since the epoch. Later titles, tags and changes to the file do not count. */
export function readLastMessageTime(file: SessionFile, fs: TranscriptFileSystem = nodeFileSystem): number {
  return withOpenFile(file, fs, (descriptor) => findLastMessageTime(fs, descriptor, file.sizeBytes)) ?? file.modifiedAt;
}

/** The session's title; undefined if it has none, is gone, or may not be read. Does not read the head. */
export function readTitle(file: SessionFile, fs: TranscriptFileSystem): string | undefined {
  return withOpenFile(file, fs, (descriptor) => newestMarks(fs, descriptor, file.sizeBytes, ["title"]).title);
}

/** The working directory in its first line. If that line is too long, the path is too long to share a folder with another path. */
export function readCwd(file: SessionFile, fs: TranscriptFileSystem = nodeFileSystem): string | undefined {
  return withOpenFile(file, fs, (descriptor) => {
    let record: TranscriptRecord | undefined;
    for (const to of firstLineBytes) {
      eachLine(fs, descriptor, { to: Math.min(to, file.sizeBytes) }, ({ bytes }) => {
        record = tryParseRecord(bytes);
        return false;
      });
      if (record !== undefined) break;
    }
    return record?.type === "session" ? record.data.cwd : undefined;
  });
}

type SummaryHead = Pick<SessionSummary, "createdAt" | "cwd" | "source" | "gitBranch" | "firstPrompt">;

function readHead(fs: TranscriptFileSystem, descriptor: number, size: number): SummaryHead {
  const head: SummaryHead = {};
  /** Prompts that are not answered yet: hooks may still retract them. */
  const unansweredPrompts = new Map<string, string>();
  eachLine(fs, descriptor, { to: Math.min(size, headBytes) }, ({ bytes }) => {
    if (unansweredPrompts.size > 0 && bytes !== undefined && startsWithBytes(bytes, assistantStart)) return false;
    const record = tryParseRecord(bytes);
    if (record === undefined) return true;
    if (record.type === "session") Object.assign(head, toSummaryHead(record.data, record.gitBranch));
    for (const uuid of retractedUuids(record)) unansweredPrompts.delete(uuid);
    const person = "message" in record && record.message.type === "user" ? messageByPerson(record.message) : undefined;
    const prompt = person === undefined ? undefined : promptLine(person);
    if (person !== undefined && prompt !== undefined) unansweredPrompts.set(person.uuid, prompt);
    return true;
  });
  const [firstPrompt] = unansweredPrompts.values();
  return firstPrompt === undefined ? head : { ...head, firstPrompt };
}

const assistantStart = Buffer.from(lineStart("assistant"));

function toSummaryHead({ createdAt, cwd, source }: SessionFacts, gitBranch: string | undefined): SummaryHead {
  return { createdAt, cwd, source, gitBranch };
}

function messageByPerson(message: UserMessage): UserMessage | undefined {
  if (message.isMeta === true || message.isCompactSummary === true) return undefined;
  return message.origin === undefined || message.origin === "human" ? message : undefined;
}

/** The text of a prompt as one line; undefined if it has none. */
export function promptLine({ content }: { content: readonly ContentBlock[] }): string | undefined {
  const text = blockText(content, " ");
  const line = text.replace(/\s+/g, " ").trim();
  return line === "" ? undefined : headOf(line, promptLength);
}
