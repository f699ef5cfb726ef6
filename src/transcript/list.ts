/** Lists a project's sessions quickly: parses the head of each file, and searches for its title from the end. */
import { join } from "node:path";
import { blockText } from "../protocol/block-text.ts";
import type { ContentBlock, UserMessage } from "../protocol/index.ts";
import { headOf } from "../lib/text-cut.ts";
import { systemCode } from "../lib/system-reason.ts";
import { openRegular } from "./file-io.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { begins, eachLine } from "./lines.ts";
import { lastSpoken, newestMarks } from "./marks.ts";
import { recordFrom } from "./parse.ts";
import { isSessionId } from "./paths.ts";
import { lineStart, type SessionFacts, type TranscriptRecord } from "./record.ts";
import type { SessionFile, SessionSummary } from "./summary.ts";

const headBytes = 256 * 1024;
const promptLength = 200;
const firstLineBytes = [800, 4_096];

export interface ListOptions {
  fs?: TranscriptFileSystem;
  /** The most summaries to return. Default: all. */
  limit?: number;
  /** Leave out title and tag, which may require reading the whole file. */
  headOnly?: boolean;
}

/** Lists sessions, newest first. A missing folder has no sessions; files that are not transcripts are ignored. */
export function listSessions(
  folder: string,
  { fs = nodeFileSystem, limit = Infinity, headOnly = false }: ListOptions = {},
): SessionSummary[] {
  const summaries: SessionSummary[] = [];
  for (const file of sessionFiles(fs, folder)) {
    if (summaries.length >= limit) break;
    const summary = summaryOf(file, fs, headOnly);
    if (summary !== undefined) summaries.push(summary);
  }
  return summaries;
}

export function sessionFilesIn(folder: string): SessionFile[] {
  return sessionFiles(nodeFileSystem, folder);
}

/** The transcripts in a folder, newest first by file time; none is opened. `isWanted` gets the file name without its extension. */
export function sessionFiles(fs: TranscriptFileSystem, folder: string, isWanted = isSessionId): SessionFile[] {
  const files: SessionFile[] = [];
  for (const name of namesIn(fs, folder)) {
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

export function namesIn(fs: TranscriptFileSystem, folder: string): string[] {
  try {
    return fs.list(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return [];
    throw error;
  }
}

/** The list entry of one file; undefined if the file is gone or may not be read. */
export function summaryOf(
  file: SessionFile,
  fs: TranscriptFileSystem = nodeFileSystem,
  headOnly = false,
): SessionSummary | undefined {
  return lookInto(file, fs, (descriptor) => {
    const head = readHead(fs, descriptor, file.sizeBytes);
    return { ...file, ...head, ...(headOnly ? {} : newestMarks(fs, descriptor, file.sizeBytes)) };
  });
}

/** Opens the file for `look` and closes it again. Undefined if it cannot be opened. */
export function lookInto<T>(
  { path }: SessionFile,
  fs: TranscriptFileSystem,
  look: (descriptor: number) => T,
): T | undefined {
  let descriptor: number;
  try {
    descriptor = openRegular(fs, path, "read");
  } catch {
    // Gone since it was listed, or not readable: it is not offered.
    return undefined;
  }
  try {
    return look(descriptor);
  } finally {
    fs.close(descriptor);
  }
}

/** Whether the session was archived. Searches its file from the end back to the last boundary. */
export function isArchived({ path, sizeBytes }: SessionFile, fs: TranscriptFileSystem = nodeFileSystem): boolean {
  const descriptor = openRegular(fs, path, "read");
  try {
    return newestMarks(fs, descriptor, sizeBytes, ["archived"]).archived === true;
  } finally {
    fs.close(descriptor);
  }
}

/** When the last message was recorded, ms since the epoch. Later titles, tags and changes to the file do not count. */
export function spokenAt(file: SessionFile, fs: TranscriptFileSystem = nodeFileSystem): number {
  return lookInto(file, fs, (descriptor) => lastSpoken(fs, descriptor, file.sizeBytes)) ?? file.modifiedAt;
}

/** The session's title; undefined if it has none, is gone, or may not be read. Does not read the head. */
export function titleOf(file: SessionFile, fs: TranscriptFileSystem = nodeFileSystem): string | undefined {
  return lookInto(file, fs, (descriptor) => newestMarks(fs, descriptor, file.sizeBytes, ["title"]).title);
}

/** The working directory in its first line. If that line is too long, the path is too long to share a folder with another path. */
export function cwdOf(file: SessionFile, fs: TranscriptFileSystem = nodeFileSystem): string | undefined {
  return lookInto(file, fs, (descriptor) => {
    let record: TranscriptRecord | undefined;
    for (const to of firstLineBytes) {
      eachLine(fs, descriptor, { to: Math.min(to, file.sizeBytes) }, ({ bytes }) => {
        record = recordFrom(bytes);
        return false;
      });
      if (record !== undefined) break;
    }
    return record?.type === "session" ? record.data.cwd : undefined;
  });
}

type Head = Pick<SessionSummary, "createdAt" | "cwd" | "source" | "gitBranch" | "firstPrompt">;

function readHead(fs: TranscriptFileSystem, descriptor: number, size: number): Head {
  const head: Head = {};
  /** Prompts that are not answered yet: hooks may still retract them. */
  const asked = new Map<string, string>();
  eachLine(fs, descriptor, { to: Math.min(size, headBytes) }, ({ bytes }) => {
    if (asked.size > 0 && bytes !== undefined && begins(bytes, assistantStart)) return false;
    const record = recordFrom(bytes);
    if (record === undefined) return true;
    if (record.type === "session") Object.assign(head, aboutOf(record.data, record.gitBranch));
    for (const uuid of retractedBy(record)) asked.delete(uuid);
    const person = "message" in record && record.message.type === "user" ? personOf(record.message) : undefined;
    const prompt = person === undefined ? undefined : promptOf(person);
    if (person !== undefined && prompt !== undefined) asked.set(person.uuid, prompt);
    return true;
  });
  const [firstPrompt] = asked.values();
  return firstPrompt === undefined ? head : { ...head, firstPrompt };
}

const assistantStart = Buffer.from(lineStart("assistant"));

/** The uuids of messages that a record retracts. */
export function retractedBy(record: TranscriptRecord | undefined): readonly string[] {
  if (record === undefined || !("message" in record) || record.message.type !== "tombstone") return [];
  return record.message.targets;
}

function aboutOf({ createdAt, cwd, source }: SessionFacts, gitBranch: string | undefined): Head {
  return { createdAt, cwd, source, gitBranch };
}

function personOf(message: UserMessage): UserMessage | undefined {
  if (message.isMeta === true || message.isCompactSummary === true) return undefined;
  return message.origin === undefined || message.origin === "human" ? message : undefined;
}

/** The text of a prompt as one line; undefined if it has none. */
export function promptOf({ content }: { content: readonly ContentBlock[] }): string | undefined {
  const text = blockText(content, " ");
  const line = text.replace(/\s+/g, " ").trim();
  return line === "" ? undefined : headOf(line, promptLength);
}
