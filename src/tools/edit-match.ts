/**
 * The pure part of Edit: where a string occurs in a text, and the text after the replacement. Line ends are the file's own business:
 * a string with LF finds text with CRLF, what is put in takes the line ends of its place, and lines that do not change keep their bytes.
 */

export interface TextEdit {
  oldString: string;
  newString: string;
  replaceAll: boolean;
}

export type EditVerdict =
  | { ok: true; text: string; replacements: number }
  | { ok: false; why: "identical" | "not_found" | "no_effect" }
  | { ok: false; why: "not_unique"; /** From 1, of the first few. */ lines: number[]; count: number };

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
      replacement(text.slice(start, end), edit.newString, () => lineEnds.near(start), lineEnds.kinds),
    );
    at = end;
  }
  pieces.push(text.slice(at));
  const result = pieces.join("");
  return result === text ? { ok: false, why: "no_effect" } : { ok: true, text: result, replacements: spans.length };
}

/** Exact occurrences; where there is none, those that differ in line ends alone. They do not overlap. */
function findSpans(text: string, wanted: string): Span[] {
  if (wanted === "") return [];
  const exact = occurrences(text, wanted).map((start) => ({ start, end: start + wanted.length }));
  const splitsLineEnd = ({ start, end }: Span): boolean => isInsideLineEnd(text, start) || isInsideLineEnd(text, end);
  if (exact.length > 0 && !exact.some(splitsLineEnd)) return exact;
  if (!text.includes("\r\n") && !wanted.includes("\r\n")) return exact;
  const plain = new PlainLines(text);
  const wantedPlain = toPlain(wanted);
  return occurrences(plain.text, wantedPlain).map((start) => ({
    start: plain.original(start),
    end: plain.original(start + wantedPlain.length),
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

function toPlain(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}

/** A text with LF alone, and the way back to where each of its characters came from. */
class PlainLines {
  readonly text: string;
  /** Where, in the plain text, the line ends are that lost a CR. Ascending. */
  readonly #lost: number[] = [];

  constructor(original: string) {
    this.text = toPlain(original);
    for (let at = original.indexOf("\r\n"); at !== -1; at = original.indexOf("\r\n", at + 2)) {
      this.#lost.push(at - this.#lost.length);
    }
  }

  /** The offset in the original; for a line end that lost its CR, the CR. */
  original(plain: number): number {
    let low = 0;
    let high = this.#lost.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#lost[middle] ?? 0) < plain) low = middle + 1;
      else high = middle;
    }
    return plain + low;
  }
}

/** What takes the place of `old`: unchanged lines at both ends as they were, the others with the line ends of the place. */
function replacement(
  old: string,
  newString: string,
  lineEndNear: () => "\n" | "\r\n",
  kinds: LineEnds["kinds"],
): string {
  if (kinds === "none") return newString;
  const plain = toPlain(newString);
  if (kinds === "plain") return plain;
  const before = linesOf(old);
  const after = linesOf(plain);
  let head = 0;
  while (head < before.length && head < after.length && toPlain(before[head] ?? "") === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && toPlain(before.at(-1 - tail) ?? "") === after.at(-1 - tail)) tail += 1;
  const changed = before.slice(head, before.length - tail).join("");
  const lineEnd = lineEndOf(changed) ?? lineEndOf(before.join("")) ?? lineEndNear();
  const middle = after.slice(head, after.length - tail).join("");
  return [
    ...before.slice(0, head),
    lineEnd === "\n" ? middle : middle.replaceAll("\n", "\r\n"),
    ...before.slice(before.length - tail),
  ].join("");
}

/** Each with its line end. */
function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

function lineEndOf(text: string): "\n" | "\r\n" | undefined {
  const at = text.indexOf("\n");
  if (at === -1) return undefined;
  return text[at - 1] === "\r" ? "\r\n" : "\n";
}

/** Those of a text, which is gone through once however many places in it are asked about. */
class LineEnds {
  readonly kinds: "none" | "plain" | "mixed";
  readonly #text: string;
  /** The one of the place asked about last. */
  #next = -1;
  readonly #last: number;

  constructor(text: string) {
    this.#text = text;
    this.#last = text.lastIndexOf("\n");
    this.kinds = text.includes("\r\n") ? "mixed" : text.includes("\n") ? "plain" : "none";
  }

  /** Of the line that holds `index`; of the one before where it is the last. Places are asked about in their order. */
  near(index: number): "\n" | "\r\n" {
    if (index > this.#last) this.#next = this.#last;
    else if (this.#next < index) this.#next = this.#text.indexOf("\n", index);
    const at = this.#next;
    return this.#text[at - 1] === "\r" ? "\r\n" : "\n";
  }
}

/** Number of the line at `index`, from 1. */
export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
