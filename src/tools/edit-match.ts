/**
 * The pure part of Edit: finds a string in a text and replaces it. Line ends belong to the file: LF in the string matches CRLF in the text,
 * the replacement takes the line ends around it, and unchanged lines keep their bytes.
 */

export interface TextEdit {
  oldString: string;
  newString: string;
  replaceAll: boolean;
}

export type EditVerdict =
  | { ok: true; text: string; replacements: number }
  | { ok: false; why: "identical" | "not_found" | "no_effect" }
  | {
      ok: false;
      why: "not_unique";
      /** Line numbers of the first few occurrences, from 1. */ lines: number[];
      count: number;
    };

interface Span {
  start: number;
  end: number;
}

export function applyEdit(text: string, edit: TextEdit): EditVerdict {
  if (edit.oldString === edit.newString) return { ok: false, why: "identical" };
  const spans = findSpans(text, edit.oldString);
  const [first] = spans;
  if (first === undefined) return { ok: false, why: "not_found" };
  if (spans.length > 1 && !edit.replaceAll) {
    const lines = spans.slice(0, 10).map(({ start }) => lineAt(text, start));
    return { ok: false, why: "not_unique", lines, count: spans.length };
  }
  const pieces: string[] = [];
  const lineEnds = new LineEnds(text);
  let at = 0;
  for (const { start, end } of spans) {
    pieces.push(
      text.slice(at, start),
      replacementText(text.slice(start, end), edit.newString, () => lineEnds.near(start), lineEnds.kinds),
    );
    at = end;
  }
  pieces.push(text.slice(at));
  const result = pieces.join("");
  return result === text ? { ok: false, why: "no_effect" } : { ok: true, text: result, replacements: spans.length };
}

/** Returns the exact occurrences; if there are none, those that differ only in line ends. They do not overlap. */
function findSpans(text: string, wanted: string): Span[] {
  if (wanted === "") return [];
  const exact = occurrences(text, wanted).map((start) => ({ start, end: start + wanted.length }));
  const splitsLineEnd = ({ start, end }: Span): boolean => isInsideLineEnd(text, start) || isInsideLineEnd(text, end);
  if (exact.length > 0 && !exact.some(splitsLineEnd)) return exact;
  if (!text.includes("\r\n") && !wanted.includes("\r\n")) return exact;
  const plain = new PlainLines(text);
  const wantedPlain = toLf(wanted);
  return occurrences(plain.text, wantedPlain).map((start) => ({
    start: plain.originalOffset(start),
    end: plain.originalOffset(start + wantedPlain.length),
  }));
}

function occurrences(text: string, wanted: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}

function isInsideLineEnd(text: string, index: number): boolean {
  return text[index] === "\n" && text[index - 1] === "\r";
}

function toLf(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}

/** A text with LF line ends only, and the mapping from its offsets back to the original's. */
class PlainLines {
  readonly text: string;
  /** Offsets, in the plain text, of the line ends that lost a CR. Ascending. */
  readonly #strippedOffsets: number[] = [];

  constructor(original: string) {
    this.text = toLf(original);
    for (let at = original.indexOf("\r\n"); at !== -1; at = original.indexOf("\r\n", at + 2)) {
      this.#strippedOffsets.push(at - this.#strippedOffsets.length);
    }
  }

  /** Returns the offset in the original text; for a line end that lost its CR, the offset of the CR. */
  originalOffset(plain: number): number {
    let low = 0;
    let high = this.#strippedOffsets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#strippedOffsets[middle] ?? 0) < plain) low = middle + 1;
      else high = middle;
    }
    return plain + low;
  }
}

/** Returns the text that replaces `old`: unchanged lines at both ends are kept as they were, the others take the line ends around them. */
function replacementText(
  old: string,
  newString: string,
  lineEndNear: () => "\n" | "\r\n",
  kinds: LineEnds["kinds"],
): string {
  if (kinds === "none") return newString;
  const plain = toLf(newString);
  if (kinds === "plain") return plain;
  const before = linesOf(old);
  const after = linesOf(plain);
  let head = 0;
  while (head < before.length && head < after.length && toLf(before[head] ?? "") === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && toLf(before.at(-1 - tail) ?? "") === after.at(-1 - tail)) tail += 1;
  const changed = before.slice(head, before.length - tail).join("");
  const lineEnd = lineEndOf(changed) ?? lineEndOf(before.join("")) ?? lineEndNear();
  const middle = after.slice(head, after.length - tail).join("");
  return [
    ...before.slice(0, head),
    lineEnd === "\n" ? middle : middle.replaceAll("\n", "\r\n"),
    ...before.slice(before.length - tail),
  ].join("");
}

/** Splits a text into lines, each with its line end. */
function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

function lineEndOf(text: string): "\n" | "\r\n" | undefined {
  const at = text.indexOf("\n");
  if (at === -1) return undefined;
  return text[at - 1] === "\r" ? "\r\n" : "\n";
}

/** The line ends of a text, which is scanned only once however many offsets are asked about. */
class LineEnds {
  readonly kinds: "none" | "plain" | "mixed";
  readonly #text: string;
  /** The line end that belongs to the offset asked about last. */
  #next = -1;
  readonly #last: number;

  constructor(text: string) {
    this.#text = text;
    this.#last = text.lastIndexOf("\n");
    this.kinds = text.includes("\r\n") ? "mixed" : text.includes("\n") ? "plain" : "none";
  }

  /** The line end of the line that holds `index`, or of the line before if that is the last. Ask in ascending order. */
  near(index: number): "\n" | "\r\n" {
    if (index > this.#last) this.#next = this.#last;
    else if (this.#next < index) this.#next = this.#text.indexOf("\n", index);
    const at = this.#next;
    return this.#text[at - 1] === "\r" ? "\r\n" : "\n";
  }
}

/** Returns the number of the line at `index`, from 1. */
function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
