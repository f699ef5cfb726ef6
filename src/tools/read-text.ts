/** Shows text files of any size as numbered lines, with notices for a partial view. */
import type { ToolResult } from "../protocol/tool.ts";
import { ToolError } from "./failure.ts";
import { readPieces, smallFileBytes, type OpenedFile } from "./open-file.ts";
import { numberLines, pickLines, scanLines, type LineRange, type PickedLines } from "./read-lines.ts";
import type { ReadFileState, ReadRecord } from "./read-state.ts";
import { detectFormat, findBinary, hashBytes, detectUnsupportedText, formatSize } from "./text-file.ts";

export interface TextRequest {
  offset?: number;
  limit?: number;
  maxTokens: number;
  signal: AbortSignal;
  /** The call that shows the file. */
  toolUseId: string;
}

const defaultLines = 2000;
/** An estimate: one token per four bytes. */
const bytesPerToken = 4;

/** `head`: the first bytes of the file, or all of it if it is small. Throws a `ToolError` that says what cannot be shown and why. */
export async function readText(
  file: OpenedFile,
  head: Buffer,
  state: ReadFileState,
  request: TextRequest,
): Promise<ToolResult> {
  const odd = detectUnsupportedText(head, file.stats.size);
  if (odd !== undefined)
    throw new ToolError(
      `${file.name} is ${odd.what}, which is not shown. Convert it first, in Bash: iconv -c -f ${odd.from} -t utf-8.`,
    );
  const binary = findBinary(head);
  if (binary !== undefined) {
    throw new ToolError(
      `${file.name} is ${binary} (${formatSize(file.stats.size)}), not text, so it cannot be shown. In Bash, \`file\` says more and \`xxd | head\` shows bytes.`,
    );
  }
  const isWhole = head.length < smallFileBytes;
  const hash = isWhole ? hashBytes(head) : undefined;
  const shown = { offset: request.offset ?? 1, limit: request.limit ?? null };
  const before = state.get(file.path);
  if (hash !== undefined && before?.hash === hash && isSameRange(before.shown, shown)) return unchangedResult(file);
  const range: LineRange = { offset: Math.max(1, shown.offset), limit: shown.limit ?? defaultLines };
  const maxBytes = request.maxTokens * bytesPerToken;
  const picked = isWhole ? pickLines(head, range) : await pickFromLarge(file, head, range, maxBytes, request.signal);
  if (picked.total === 0) {
    state.set(file.path, createRecord(file, hash, undefined, shown), { place: file.place });
    return { content: "The file exists but is empty.", output: buildOutput(file, picked, "", 0, false) };
  }
  if (range.offset > picked.total) {
    throw new ToolError(
      `${file.name} has ${picked.total} ${picked.total === 1 ? "line" : "lines"}: offset ${range.offset} is past its end.`,
    );
  }
  const numbered = numberLines(picked.lines, range.offset, maxBytes);
  const isCapped = picked.isCut || numbered.count < picked.lines.length;
  if (isCapped && request.limit !== undefined)
    throw new ToolError(tooMuchText(range, numbered.count, request.maxTokens));
  const last = range.offset + numbered.count - 1;
  const known = isSameFile(before, file, hash) ? before : undefined;
  const isKnown = known !== undefined && known.partial !== true;
  const seenTo = isKnown ? undefined : updatedSeenTo(known?.seenTo ?? 0, range.offset, last, picked);
  // Lines do not identify a notebook's cells, so `movedFrom` stays as it was.
  const record = { ...createRecord(file, hash, seenTo, isCapped ? undefined : shown), movedFrom: known?.movedFrom };
  state.set(file.path, record, { toolUseId: request.toolUseId, place: file.place });
  const notices = [
    picked.hasInvalidBytes
      ? "[The file is not all valid UTF-8: � stands for other bytes, which an edit elsewhere in it keeps. If it is in another encoding, Bash shows it with: iconv -f <its encoding> -t utf-8]"
      : "",
    lfsPointerNotice(head),
  ];
  if (isCapped || (request.limit === undefined && last < picked.total)) {
    notices.push(partialText(range.offset, last, picked, isCapped ? request.maxTokens : undefined));
  }
  return {
    content: [numbered.text, ...notices.filter((notice) => notice !== "")].join("\n"),
    output: buildOutput(file, picked, picked.lines.slice(0, numbered.count).join("\n"), numbered.count, isCapped),
  };
}

const lfsPointerPattern =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:[^\n]*\n)*?oid sha256:[\da-f]{64}\nsize (\d+)\n/u;

/** The notice about a Git LFS pointer; empty for any other file. */
function lfsPointerNotice(head: Buffer): string {
  const size = head.length > 1024 ? undefined : lfsPointerPattern.exec(head.toString("latin1"))?.[1];
  return size === undefined
    ? ""
    : `[This is a Git LFS pointer in place of the file: its content (${size} bytes) is not here. \`git lfs pull\` fetches it.]`;
}

function isSameFile(
  before: ReadRecord | undefined,
  { stats }: OpenedFile,
  hash: string | undefined,
): before is ReadRecord {
  if (before === undefined) return false;
  if (hash !== undefined && before.hash !== undefined) return before.hash === hash;
  return before.mtimeMs === stats.mtimeMs && before.size === stats.size;
}

/** Returns the last line that the model has seen contiguously from the first, including these lines; undefined if it has seen all. */
function updatedSeenTo(seenTo: number, first: number, last: number, picked: PickedLines): number | undefined {
  const joins = first <= seenTo + 1 && !picked.hasCutLine;
  const seen = joins ? Math.max(seenTo, last) : seenTo;
  return picked.isTotalExact && seen >= picked.total ? undefined : seen;
}

function isSameRange(one: ReadRecord["shown"], other: NonNullable<ReadRecord["shown"]>): boolean {
  return one !== undefined && one.offset === other.offset && one.limit === other.limit;
}

function unchangedResult(file: OpenedFile): ToolResult {
  return {
    content: `${file.name} is unchanged since you last read these lines: what was shown then still holds.`,
    output: { type: "file_unchanged", file: { filePath: file.path } },
  };
}

async function pickFromLarge(
  file: OpenedFile,
  head: Buffer,
  range: LineRange,
  maxBytes: number,
  signal: AbortSignal,
): Promise<PickedLines> {
  // An even length: `detectFormat` accepts a UTF-16 byte order mark only if the number of bytes is even.
  if (detectFormat(head.subarray(0, 4096)).encoding.startsWith("utf16")) {
    throw new ToolError(
      `${file.name} is UTF-16 text of ${formatSize(file.stats.size)}; only up to 1 MB of it can be shown. Convert it first: iconv -f utf-16 -t utf-8.`,
    );
  }
  return await scanLines(readPieces(file, signal), range, maxBytes);
}

function tooMuchText(range: LineRange, fitting: number, maxTokens: number): string {
  return `Lines ${range.offset} to ${range.offset + range.limit - 1} are more than the ${maxTokens} tokens a read may return; about ${fitting} of them fit. Ask for fewer with limit, or find the place with Grep.`;
}

function partialText(first: number, last: number, picked: PickedLines, maxTokens: number | undefined): string {
  const total = `${picked.isTotalExact ? "" : "at least "}${picked.total}`;
  const why = maxTokens === undefined ? "" : ` (a read returns at most ${maxTokens} tokens)`;
  return `[PARTIAL view: lines ${first} to ${last} of ${total}${why}. Read on with offset ${last + 1}, or find the place with Grep.]`;
}

function createRecord(
  file: OpenedFile,
  hash: string | undefined,
  seenTo: number | undefined,
  shown: ReadRecord["shown"],
): ReadRecord {
  const { mtimeMs, size } = file.stats;
  const partial = seenTo === undefined ? {} : { partial: true, seenTo };
  return { mtimeMs, size, hash, ...partial, shown: hash === undefined ? undefined : shown };
}

function buildOutput(
  file: OpenedFile,
  picked: PickedLines,
  content: string,
  numLines: number,
  isCapped: boolean,
): unknown {
  const cap = isCapped ? { truncatedByTokenCap: true } : {};
  return {
    type: "text",
    file: { filePath: file.path, content, numLines, startLine: picked.first, totalLines: picked.total, ...cap },
  };
}
