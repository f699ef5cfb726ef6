/** What a call of Edit or Write would change in its file, for a person who is asked about it. */
import { readFile, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { applyEdit } from "./edit-match.ts";
import { structuredPatch, type PatchHunk } from "./patch.ts";
import { asFileText, asShownText, decodeText, type DecodedText } from "./text-file.ts";
import { dressed } from "./write-file.ts";

/** Bytes of a file: a person waits for the comparison. */
const largest = 1_000_000;

/**
 * The hunks of the change, with three lines of context. Undefined where there is nothing to compare: another tool, a new file, one that
 * cannot be read or is too large, or an edit that will be refused. Must not throw.
 */
export async function previewHunks(
  toolName: string,
  input: Readonly<Record<string, unknown>>,
): Promise<PatchHunk[] | undefined> {
  const { file_path: path } = input;
  if ((toolName !== "Edit" && toolName !== "Write") || typeof path !== "string" || !isAbsolute(path)) return undefined;
  try {
    const decoded = await textOf(path);
    const after = decoded && (toolName === "Edit" ? edited(decoded, input) : written(decoded, input));
    if (decoded === undefined || after === undefined || decoded.text.includes("\0")) return undefined;
    const hunks = await structuredPatch(asShownText(decoded.text, decoded.format), after);
    return hunks.length > 0 ? withoutSharedReturns(hunks) : undefined;
  } catch {
    return undefined;
  }
}

async function textOf(path: string): Promise<DecodedText | undefined> {
  // Opening a pipe or a device would wait, or have an effect.
  const stats = await stat(path);
  return stats.isFile() && stats.size <= largest ? decodeText(await readFile(path)) : undefined;
}

function edited({ text, format }: DecodedText, input: Readonly<Record<string, unknown>>): string | undefined {
  const { old_string: before, new_string: after, replace_all: replaceAll } = input;
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  const [oldString, newString] = [asFileText(before, format), asFileText(after, format)];
  const verdict = applyEdit(text, { oldString, newString, replaceAll: replaceAll === true });
  return verdict.ok ? asShownText(verdict.text, format) : undefined;
}

function written(before: DecodedText, { content }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof content === "string" ? dressed(content, before).text : undefined;
}

/** In a file whose lines all end with CRLF, the carriage return of each line says nothing. */
function withoutSharedReturns(hunks: PatchHunk[]): PatchHunk[] {
  const isCrlf = hunks.every(({ lines }) => lines.every((line) => line.endsWith("\r") || line.startsWith("\\")));
  return isCrlf ? hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map((line) => line.replace(/\r$/u, "")) })) : hunks;
}
