/** Shows an edit's changes as terminal lines: a line number, a sign, the text. */
import { sanitizeLine } from "../../lib/sanitize.ts";
import { sharedLength } from "../../lib/shared-length.ts";
import type { Style } from "../show/style.ts";
import { clusterLeft } from "./motion.ts";
import { fitsWidth, truncateToWidth } from "./width.ts";

/** Further lines are only counted. */
const maxLines = 24;
const tab = "    ";
/** The most characters of a line for a screen reader. */
const maxSpokenLength = 400;
const signs: Readonly<Record<string, string>> = { "+": "added, line ", "-": "removed, line ", " ": "line " };
/** How many characters are shown before a change if the beginning of the line is left out. */
const maxLeadLength = 12;

interface Hunk {
  oldStart: number;
  newStart: number;
  lines: string[];
}

/** Takes a tool result as clients get it. Returns at most `limit` lines; empty if the result has no patch. */
export function patchLines(result: unknown, style: Style, columns: number, limit = maxLines): string[] {
  const hunks = readHunks(result);
  const lines = hunks.flatMap(numberLines);
  const first = lines.slice(0, limit);
  const digits = first.reduce((widest, { number }) => Math.max(widest, String(number).length), 0);
  const shown = first.flatMap(({ number, sign, text, oppositeLines, isApart }, at) => {
    const gap = isApart && at > 0 && !style.isSpoken ? [style.dim(`      ${" ".repeat(digits - 1)}⋮`)] : [];
    const head = `      ${String(number).padStart(digits)} ${sign} `;
    const line = truncateToWidth(
      head + cutToChange(safeLine(text), oppositeLines.slice(0, limit).map(safeLine), columns - 1 - head.length),
      columns - 1,
    );
    if (style.isSpoken) return [truncateToWidth(`${signs[sign] ?? ""}${number}: ${safeLine(text)}`, maxSpokenLength)];
    if (sign === "+") return [...gap, style.green(line)];
    return [...gap, sign === "-" ? style.red(line) : style.dim(line)];
  });
  const more = lines.length - first.length;
  return more > 0 ? [...shown, style.dim(`      (${more} more ${more === 1 ? "line" : "lines"})`)] : shown;
}

function safeLine(text: string): string {
  return sanitizeLine(text).replaceAll("\t", tab);
}

/** Cuts off the beginning of a line if its change would be cut off at the end: two different lines would look the same. */
function cutToChange(text: string, oppositeLines: readonly string[], room: number): string {
  if (oppositeLines.includes(text)) return text;
  let [other = "", at] = [oppositeLines[0], 0];
  for (const each of oppositeLines) {
    const shared = sharedLength(text, each);
    if (shared > at) [other, at] = [each, shared];
  }
  if (fitsWidth(text, room) && fitsWidth(other, room)) return text;
  const lead = Math.min(maxLeadLength, room >> 2);
  if (fitsWidth(text.slice(0, at), room - lead - 1)) return text;
  for (let left = 0; left < lead; left += 1) at = clusterLeft(text, at);
  return at === 0 ? text : `…${text.slice(at)}`;
}

function readHunks(result: unknown): Hunk[] {
  const { structuredPatch, type, content } = (result ?? {}) as Record<string, unknown>;
  if (!Array.isArray(structuredPatch)) return [];
  // A new file has no patch, because there is no old content.
  if (type === "create" && typeof content === "string") return [newFileHunk(content)];
  return structuredPatch.filter((each) => isHunk(each));
}

function newFileHunk(content: string): Hunk {
  const lines = content.split(/\r?\n/u);
  if (lines.at(-1) === "") lines.pop();
  return { oldStart: 0, newStart: 1, lines: lines.map((line) => `+${line}`) };
}

function isHunk(value: unknown): value is Hunk {
  const { oldStart, newStart, lines } = (value ?? {}) as Partial<Record<keyof Hunk, unknown>>;
  if (typeof oldStart !== "number" || typeof newStart !== "number" || !Array.isArray(lines)) return false;
  return lines.every((line) => typeof line === "string");
}

interface NumberedLine {
  number: number;
  sign: string;
  text: string;
  /** The lines in its place on the other side. The most similar one is compared. */
  oppositeLines: readonly string[];
  /** It is the first line of a hunk. */
  isApart: boolean;
}

function numberLines({ oldStart, newStart, lines }: Hunk): NumberedLine[] {
  let old = oldStart;
  let now = newStart;
  let removedLines: string[] = [];
  let addedLines: string[] = [];
  return lines.flatMap((line, at) => {
    const sign = line.charAt(0);
    // "\ No newline at end of file".
    if (sign === "\\") return [];
    const number = sign === "-" ? old : now;
    if (sign !== "+") old++;
    if (sign !== "-") now++;
    const text = line.slice(1);
    if (sign === "+") {
      addedLines.push(text);
      return [{ number, sign, text, oppositeLines: removedLines, isApart: at === 0 }];
    }
    if (sign !== "-" || addedLines.length > 0) [removedLines, addedLines] = [[], []];
    if (sign !== "-") return [{ number, sign, text, oppositeLines: [], isApart: at === 0 }];
    removedLines.push(text);
    return [{ number, sign, text, oppositeLines: addedLines, isApart: at === 0 }];
  });
}
