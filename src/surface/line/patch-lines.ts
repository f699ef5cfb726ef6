/** What an edit changed, as lines of a terminal: a number, a sign, the text. */
import { sanitize } from "../../lib/sanitize.ts";
import type { Style } from "../show/style.ts";
import { fitted } from "./width.ts";

/** More than these are counted. */
const mostLines = 24;
const tab = "    ";

interface Hunk {
  oldStart: number;
  newStart: number;
  lines: string[];
}

/** Of a result as clients have it; none where it tells of no change. */
export function patchLines(result: unknown, style: Style, columns: number): string[] {
  const hunks = hunksOf(result);
  const lines = hunks.flatMap(numbered);
  const digits = Math.max(0, ...lines.map(({ number }) => String(number).length));
  const shown = lines.slice(0, mostLines).map(({ number, sign, text }) => {
    const safe = sanitize(text).replaceAll("\t", tab).replaceAll("\n", " ");
    const line = fitted(`      ${String(number).padStart(digits)} ${sign} ${safe}`, columns - 1);
    if (sign === "+") return style.green(line);
    return sign === "-" ? style.red(line) : style.dim(line);
  });
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, style.dim(`      (${more} more ${more === 1 ? "line" : "lines"})`)] : shown;
}

function hunksOf(result: unknown): Hunk[] {
  const { structuredPatch } = (result ?? {}) as { structuredPatch?: unknown };
  return Array.isArray(structuredPatch) ? structuredPatch.filter((each) => isHunk(each)) : [];
}

function isHunk(value: unknown): value is Hunk {
  const { oldStart, newStart, lines } = (value ?? {}) as Partial<Record<keyof Hunk, unknown>>;
  if (typeof oldStart !== "number" || typeof newStart !== "number" || !Array.isArray(lines)) return false;
  return lines.every((line) => typeof line === "string");
}

interface Line {
  number: number;
  sign: string;
  text: string;
}

function numbered({ oldStart, newStart, lines }: Hunk): Line[] {
  let old = oldStart;
  let now = newStart;
  return lines.flatMap((line) => {
    const sign = line.charAt(0);
    // "\ No newline at end of file".
    if (sign === "\\") return [];
    const number = sign === "-" ? old : now;
    if (sign !== "+") old++;
    if (sign !== "-") now++;
    return [{ number, sign, text: line.slice(1) }];
  });
}
