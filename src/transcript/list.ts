/** The sessions of a project at a glance: of each file its head is parsed, and what it is called looked for from its end. */
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
  /** Summaries wanted at most. Default: all. */
  limit?: number;
  /** Without title and tag, for which a whole file may have to be read. */
  headOnly?: boolean;
}

/** Newest first. A folder that is not there has no sessions; files that are no transcripts are passed over. */
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

/** The transcripts in a folder by time alone, newest first; nothing is opened. `isWanted`: by the name without its ending. */
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

/** What a list says of one file; undefined where it is gone, or not ours to read. */
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

/** Closes it again. Undefined where it cannot be opened. */
export function lookInto<T>(
  { path }: SessionFile,
  fs: TranscriptFileSystem,
  look: (descriptor: number) => T,
): T | undefined {
  let descriptor: number;
  try {
    descriptor = openRegular(fs, path, "read");
  } catch {
    // Gone since it was listed, or not ours to read: not a session to offer.
    return undefined;
  }
  try {
    return look(descriptor);
  } finally {
    fs.close(descriptor);
  }
}

/** Whether it was put away. Its file is looked through from the end, as far as the last boundary. */
export function isArchived({ path, sizeBytes }: SessionFile, fs: TranscriptFileSystem = nodeFileSystem): boolean {
  const descriptor = openRegular(fs, path, "read");
  try {
    return newestMarks(fs, descriptor, sizeBytes, ["archived"]).archived === true;
  } finally {
    fs.close(descriptor);
  }
}

/** ms since the epoch: a title or a tag that was given since does not count, nor what was done to the file. */
export function spokenAt(file: SessionFile, fs: TranscriptFileSystem = nodeFileSystem): number {
  return lookInto(file, fs, (descriptor) => lastSpoken(fs, descriptor, file.sizeBytes)) ?? file.modifiedAt;
}

/** What it is called; undefined where it has no title, is gone, or is not ours to read. Its head is not looked at. */
export function titleOf(file: SessionFile, fs: TranscriptFileSystem = nodeFileSystem): string | undefined {
  return lookInto(file, fs, (descriptor) => newestMarks(fs, descriptor, file.sizeBytes, ["title"]).title);
}

/** Where it began, by its first line. Of one that is longer, the folder's path is too long to share a place with another's. */
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
  /** Prompts that nobody has answered yet: hooks may take them out. */
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

/** Uuids of messages that a record takes out. */
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

/** One line of what is said in text; undefined where nothing is. */
export function promptOf({ content }: { content: readonly ContentBlock[] }): string | undefined {
  const text = blockText(content, " ");
  const line = text.replace(/\s+/g, " ").trim();
  return line === "" ? undefined : headOf(line, promptLength);
}
