/** Computes what a call of Edit or Write would change in its file, for the person who is asked about the call. */
import { readFile, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { hasErrorCode } from "../lib/error-text.ts";
import { applyEdit } from "./edit-match.ts";
import { structuredPatch, type PatchHunk } from "./patch.ts";
import { toFileText, toShownText, decodeText, type DecodedText } from "./text-file.ts";
import { keepFileFormat } from "./write-file.ts";

/** In bytes. Larger files are not compared, because a person waits for the result. */
const maxComparedBytes = 1_000_000;

/**
 * Returns the hunks of the change with three lines of context; for a new file, all its lines. Undefined if nothing can be compared:
 * another tool, a file that cannot be read or is too large, an edit that will be refused, or no content. Never rejects.
 */
export async function previewHunks(
  toolName: string,
  input: Readonly<Record<string, unknown>>,
): Promise<PatchHunk[] | undefined> {
  const { file_path: path } = input;
  if ((toolName !== "Edit" && toolName !== "Write") || typeof path !== "string" || !isAbsolute(path)) return undefined;
  try {
    const decoded = await readDecoded(path);
    const after = decoded && (toolName === "Edit" ? applyEditInput(decoded, input) : applyWriteInput(decoded, input));
    if (decoded === undefined || after === undefined || decoded.text.includes("\0")) return undefined;
    const hunks = await structuredPatch(toShownText(decoded.text, decoded.format), after);
    return hunks.length > 0 ? withoutSharedReturns(hunks) : undefined;
  } catch (error) {
    return hasErrorCode(error, "ENOENT") ? newFileHunks(toolName, input) : undefined;
  }
}

/** Not computed as a difference to nothing, because that has a limit that long files exceed. */
function newFileHunks(toolName: string, input: Readonly<Record<string, unknown>>): PatchHunk[] | undefined {
  const { content, old_string: before, new_string: after } = input;
  const text = toolName === "Write" ? content : before === "" ? after : undefined;
  if (typeof text !== "string" || text === "") return undefined;
  const lines = text.split("\n").map((line) => `+${line}`);
  const hasLastEnd = lines.at(-1) === "+";
  const newLines = hasLastEnd ? lines.length - 1 : lines.length;
  const shown = hasLastEnd ? lines.slice(0, -1) : [...lines, "\\ No newline at end of file"];
  return [{ oldStart: 0, oldLines: 0, newStart: 1, newLines, lines: shown }];
}

async function readDecoded(path: string): Promise<DecodedText | undefined> {
  // Opening a pipe or a device could block or have an effect.
  const stats = await stat(path);
  return stats.isFile() && stats.size <= maxComparedBytes ? decodeText(await readFile(path)) : undefined;
}

function applyEditInput({ text, format }: DecodedText, input: Readonly<Record<string, unknown>>): string | undefined {
  const { old_string: before, new_string: after, replace_all: replaceAll } = input;
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  const [oldString, newString] = [toFileText(before, format), toFileText(after, format)];
  const verdict = applyEdit(text, { oldString, newString, replaceAll: replaceAll === true });
  return verdict.ok ? toShownText(verdict.text, format) : undefined;
}

function applyWriteInput(before: DecodedText, { content }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof content === "string" ? keepFileFormat(content, before).text : undefined;
}

/** Removes the carriage returns of CRLF if all line ends in the hunks have one, because they then show no difference. */
function withoutSharedReturns(hunks: PatchHunk[]): PatchHunk[] {
  // A line that starts with a backslash says that the line before it has no line end.
  const isNote = (line = ""): boolean => line.startsWith("\\");
  const hasEnd = (line: string, next?: string): boolean => !isNote(line) && !isNote(next);
  const isCrlf = hunks.every(({ lines }) =>
    lines.every((line, at) => line.endsWith("\r") || !hasEnd(line, lines[at + 1])),
  );
  const bare = (line: string, at: number, lines: readonly string[]): string =>
    hasEnd(line, lines[at + 1]) ? line.replace(/\r$/u, "") : line;
  return isCrlf ? hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(bare) })) : hunks;
}
