/** Which files tools changed since a prompt, and where the first snapshot was. Rarely needed, so it is read from the file each time. */
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { startsWithBytes, eachLine } from "./lines.ts";
import { parseRecord } from "./parse.ts";
import { openForReading, toReadError } from "./read.ts";
import { lineStart, type FileChange, type TranscriptRecord } from "./record.ts";

export interface ChangesSince {
  /** The first change of each file after the prompt, which records the file's state before the prompt. */
  changes: FileChange[];
  /** The first snapshot after the prompt: its mark, and the number of `changes` before it. */
  snapshot?: { mark: number; before: number };
  /** The number of change records that cannot be read. */
  damaged: number;
}

const openingBrace = 0x7b;
const promptStart = Buffer.from(lineStart("user"));
const changeStart = Buffer.from(lineStart("file_change"));
const snapshotStart = Buffer.from(lineStart("tree_snapshot"));

/** Undefined if the transcript has no prompt with this uuid. Throws `TranscriptError`: `not_found`, `not_regular`, `io`. */
export function changesSince(
  path: string,
  promptUuid: string,
  fs: TranscriptFileSystem = nodeFileSystem,
): ChangesSince | undefined {
  const descriptor = openForReading(fs, path);
  const first = new Map<string, FileChange>();
  let snapshot: { mark: number; before: number } | undefined;
  const uuid = Buffer.from(JSON.stringify(promptUuid));
  let isPromptFound = false;
  let damaged = 0;
  try {
    eachLine(fs, descriptor, {}, ({ bytes, hasLineFeed }) => {
      if (bytes === undefined || !mayBeRelevant(bytes, isPromptFound ? undefined : uuid)) return;
      const parsed = parseRecord(bytes);
      if (!parsed.ok) {
        if (isPromptFound && hasLineFeed && startsWithBytes(bytes, changeStart)) damaged++;
        return;
      }
      const { record } = parsed;
      if (!isPromptFound) isPromptFound = isPrompt(record, promptUuid);
      else if (record.type === "tree_snapshot") snapshot ??= { mark: record.data.mark, before: first.size };
      else if (record.type === "file_change" && !first.has(record.data.path)) first.set(record.data.path, record.data);
    });
  } catch (error) {
    throw toReadError(path, error);
  } finally {
    fs.close(descriptor);
  }
  if (!isPromptFound) return undefined;
  const changes = [...first.values()];
  return { changes, damaged, ...(snapshot === undefined ? {} : { snapshot }) };
}

/** Decides from the bytes, so that a long transcript is not parsed for a few lines. `uuid`: the prompt, until it has been found. */
function mayBeRelevant(line: Buffer, uuid: Buffer | undefined): boolean {
  // The parser handles bytes that a power cut or an editor put before a line.
  if (line[0] !== openingBrace) return line.length > 0;
  return uuid === undefined
    ? startsWithBytes(line, changeStart) || startsWithBytes(line, snapshotStart)
    : startsWithBytes(line, promptStart) && line.includes(uuid);
}

function isPrompt(record: TranscriptRecord, uuid: string): boolean {
  if (record.uuid !== uuid || !("message" in record)) return false;
  const { message } = record;
  return message.type === "user" && message.content.every((block) => block.type !== "tool_result");
}
