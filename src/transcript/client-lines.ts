/**
 * Lines in which the session functions of other SDKs look for a title and a tag. They read only a part at each end of a transcript (64 KB,
 * as `sessions.py` of the Python SDK does), and no other form.
 */
import { jsonLine } from "../lib/json-line.ts";
import { oneLine } from "../lib/sanitize.ts";
import { composeLine, type UnwrittenLine } from "./line-bytes.ts";
import { maxClientMarkCharacters } from "./line-format.ts";
import type { FactData, FactKind, Snapshot } from "./record.ts";

/** A mark that is farther from the end than this is written again. Less than those functions read, since the last lines may be long. */
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

/** The lines that repeat the title and the tag. */
export function clientLines({ title, tag }: Pick<Snapshot, "title" | "tag">, sessionId: string): UnwrittenLine[] {
  return [
    title === undefined ? undefined : clientLine("title", { title }, sessionId),
    tag === undefined ? undefined : clientLine("tag", { tag }, sessionId),
  ].filter((line) => line !== undefined);
}

/** Those functions find a line by its beginning. */
function lineOf(type: string, fields: object): UnwrittenLine {
  return composeLine([`{"type":"${type}"`], jsonLine(fields));
}
