/** What people typed in the sessions of a folder, for the prompt history. */
import { typedText } from "../protocol/typed-blocks.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { startsWithBytes, eachLine } from "./lines.ts";
import { withOpenFile, sessionFiles, readSummary } from "./list-sessions.ts";
import { belongsToAnyDir } from "./shared-slug.ts";
import { tryParseRecord } from "./parse.ts";
import { lineStart } from "./record.ts";

export interface EarlierPromptLimits {
  fs?: TranscriptFileSystem;
  /** The most sessions that are read, newest first. Default 20. */
  sessions?: number;
  /** The most bytes that are read in total, of each session from its end. Default 16 MiB. */
  bytes?: number;
}

/** How lines that a person typed begin, and a text that they contain. */
const typedLineMarks = [
  { start: Buffer.from(lineStart("user")), word: '"origin":"human"' },
  { start: Buffer.from(lineStart("attachment")), word: '"queued_command"' },
];

/** Returns the prompts, oldest first, of terminal sessions only: a program's prompts are not for repeating. Skips what cannot be read. */
export function earlierPrompts(folder: string, cwd: string, limits: EarlierPromptLimits = {}): string[] {
  const { fs = nodeFileSystem, sessions = 20, bytes = 16 * 1024 * 1024 } = limits;
  const prompts: string[][] = [];
  let [looked, left] = [0, bytes];
  for (const file of sessionFiles(fs, folder)) {
    if (looked === sessions || left <= 0) break;
    const head = readSummary(file, fs, true);
    if (head === undefined || head.source !== "cli" || !belongsToAnyDir([cwd], head)) continue;
    const from = Math.max(0, file.sizeBytes - left);
    prompts.push(withOpenFile(file, fs, (descriptor) => promptsIn(fs, descriptor, from)) ?? []);
    looked += 1;
    left -= file.sizeBytes - from;
  }
  return prompts.toReversed().flat();
}

function promptsIn(fs: TranscriptFileSystem, descriptor: number, from: number): string[] {
  const prompts: string[] = [];
  eachLine(fs, descriptor, { from }, ({ bytes }) => {
    if (
      bytes === undefined ||
      !typedLineMarks.some(({ start, word }) => startsWithBytes(bytes, start) && bytes.includes(word))
    )
      return;
    const record = tryParseRecord(bytes);
    const text = record !== undefined && "message" in record ? typedText(record.message) : undefined;
    if (text !== undefined) prompts.push(text);
  });
  return prompts;
}
