/**
 * Lines in which the session functions of other SDKs look for a title and a tag. They read only a part at each end of a transcript (64 KB,
 * as `sessions.py` of the Python SDK does), and no other form.
 */
import { jsonLine } from "../lib/json-line.ts";
import { oneLine } from "../lib/sanitize.ts";
import { composeLine, lineText, type UnwrittenLine } from "./line-bytes.ts";
import { maxClientMarkCharacters } from "./line-format.ts";
import type { FactData, FactKind, Snapshot } from "./record.ts";

/** A mark that is farther from the end than this is written again. Less than those functions read: a fact may still be added to the file. */
export const clientReachBytes = 48 * 1024;

/** The line for a title or a tag. Other facts have none, nor do texts that would not be read back as they are. */
export function clientLine(kind: FactKind, data: FactData[FactKind], sessionId: string): UnwrittenLine | undefined {
  if (kind !== "title" && kind !== "tag") return undefined;
  // An empty tag takes the tag off.
  const text = (kind === "title" ? (data as FactData["title"]).title : (data as FactData["tag"]).tag) ?? "";
  if (oneLine(text, maxClientMarkCharacters) !== text) return undefined;
  return kind === "title"
    ? lineOf("custom-title", { customTitle: text, sessionId })
    : lineOf("tag", { tag: text, sessionId });
}

/** The lines for the title and the tag that those functions do not find in this end of the file. */
export function missingClientLines(
  { title, tag }: Pick<Snapshot, "title" | "tag">,
  sessionId: string,
  tail: Buffer,
): UnwrittenLine[] {
  const titleLine = title === undefined ? undefined : clientLine("title", { title }, sessionId);
  const tagLine = tag === undefined ? undefined : clientLine("tag", { tag }, sessionId);
  const lines: UnwrittenLine[] = [];
  if (titleLine !== undefined && lastLine(tail, lineBeginning("custom-title")) !== lineText(titleLine))
    lines.push(titleLine);
  // No line says that there is no tag as well as an empty one.
  const lastTag = lastLine(tail, lineBeginning("tag"));
  if (tagLine !== undefined && lastTag !== lineText(tagLine) && (tag !== null || lastTag !== undefined))
    lines.push(tagLine);
  return lines;
}

/** The last line that begins so, without its line feed. */
function lastLine(tail: Buffer, beginning: string): string | undefined {
  const at = tail.lastIndexOf(`\n${beginning}`);
  return at < 0 ? undefined : tail.toString("utf8", at + 1, tail.indexOf("\n", at + 1));
}

function lineBeginning(type: string): string {
  return `{"type":"${type}"`;
}

/** Those functions find a line by its beginning. */
function lineOf(type: string, fields: object): UnwrittenLine {
  return composeLine([lineBeginning(type)], jsonLine(fields));
}
