/** Which files tools have changed since a prompt, and where the first snapshot of everything was. Asked for seldom, so it is read from the whole file then and carried by nothing. */
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { begins, eachLine } from "./lines.ts";
import { parseRecord } from "./parse.ts";
import { openToRead, readFailure } from "./read.ts";
import { lineStart, type FileChange, type TranscriptRecord } from "./record.ts";

export interface ChangesSince {
  /** For each file the first change after the prompt: it says how the file was before the prompt. */
  changes: FileChange[];
  /** The first snapshot after the prompt: its mark, and how many of `changes` came before it. */
  snapshot?: { mark: number; before: number };
  /** Records of changes that cannot be read. */
  damaged: number;
}

const openingBrace = 0x7b;
const promptStart = Buffer.from(lineStart("user"));
const changeStart = Buffer.from(lineStart("file_change"));
const snapshotStart = Buffer.from(lineStart("tree_snapshot"));

/** Undefined where the transcript has no prompt with that uuid. Throws `TranscriptError`: `not_found`, `not_regular`, `io`. */
export function changesSince(
  path: string,
  promptUuid: string,
  fs: TranscriptFileSystem = nodeFileSystem,
): ChangesSince | undefined {
  const descriptor = openToRead(fs, path);
  const first = new Map<string, FileChange>();
  let snapshot: { mark: number; before: number } | undefined;
  const uuid = Buffer.from(JSON.stringify(promptUuid));
  let isSince = false;
  let damaged = 0;
  try {
    eachLine(fs, descriptor, {}, ({ bytes, ended }) => {
      if (bytes === undefined || !mayMatter(bytes, isSince ? undefined : uuid)) return;
      const parsed = parseRecord(bytes);
      if (!parsed.ok) {
        if (isSince && ended && begins(bytes, changeStart)) damaged++;
        return;
      }
      const { record } = parsed;
      if (!isSince) isSince = isPrompt(record, promptUuid);
      else if (record.type === "tree_snapshot") snapshot ??= { mark: record.data.mark, before: first.size };
      else if (record.type === "file_change" && !first.has(record.data.path)) first.set(record.data.path, record.data);
    });
  } catch (error) {
    throw readFailure(path, error);
  } finally {
    fs.close(descriptor);
  }
  if (!isSince) return undefined;
  const changes = [...first.values()];
  return { changes, damaged, ...(snapshot === undefined ? {} : { snapshot }) };
}

/** Told from the bytes, so that a long transcript is not parsed for a few of its lines. `uuid`: of the prompt still looked for. */
function mayMatter(line: Buffer, uuid: Buffer | undefined): boolean {
  // What a power cut or an editor put before a line is the parser's business.
  if (line[0] !== openingBrace) return line.length > 0;
  return uuid === undefined
    ? begins(line, changeStart) || begins(line, snapshotStart)
    : begins(line, promptStart) && line.includes(uuid);
}

function isPrompt(record: TranscriptRecord, uuid: string): boolean {
  if (record.uuid !== uuid || !("message" in record)) return false;
  const { message } = record;
  return message.type === "user" && message.content.every((block) => block.type !== "tool_result");
}
