/**
 * Emphasis and code within a line. Characters that are not clearly Markdown stay as they are: a coding agent writes `**kwargs`,
 * `src/*.ts` and `__init__` in its sentences, and none of it may be lost. Underscores are never emphasis.
 */
import type { Style } from "../../show/style.ts";

/** The most characters from an opening mark to the end of its closing mark. */
const longestSpan = 400;
const special = /[`*\\]|https?:\/\//gu;
const punctuation = /[!-/:-@[-`{-~]/u;
/** Characters before an opening mark, or after a closing one, that make it part of a word, a path or a pattern. */
const clings = /[\w/\\.$*]/u;
const clingsBehind = /[\w/\\$*]/u;
/** Emphasis does not begin with a blank or with a character that continues a pattern. */
const noBeginning = /[\s/\\,;:!?)\]}|]/u;
const pattern = /[.-]/u;
const noEnd = /[\s/\\,([{|]/u;

export interface Inline {
  /** The text to show. */
  shown: string;
  /** Raw text that the next piece may complete. */
  rest: string;
}

/** `isWhole`: the text goes to the end of the line. `before` is the character before the text. */
export function inline(text: string, style: Style, isWhole: boolean, before = ""): Inline {
  let shown = "";
  let at = 0;
  for (;;) {
    special.lastIndex = at;
    const mark = special.exec(text);
    if (mark === null) break;
    shown += text.slice(at, mark.index);
    const span = spanAt(text, mark.index, { style, isWhole, before });
    if (span === undefined) return { shown, rest: text.slice(mark.index) };
    shown += span.shown;
    at = span.end;
  }
  const tail = text.slice(at);
  const open = isWhole ? 0 : beginningOfLink(tail);
  return { shown: shown + tail.slice(0, tail.length - open), rest: tail.slice(tail.length - open) };
}

interface Around {
  style: Style;
  isWhole: boolean;
  before: string;
}

interface Span {
  shown: string;
  /** The index after the span. */
  end: number;
}

/** Returns undefined if only later text can decide. */
function spanAt(text: string, at: number, around: Around): Span | undefined {
  switch (text.charAt(at)) {
    case "\\":
      return escaped(text, at, around);
    case "`":
      return code(text, at, around);
    case "*":
      return emphasis(text, at, around);
    default:
      return link(text, at, around);
  }
}

function escaped(text: string, at: number, { isWhole }: Around): Span | undefined {
  const next = text.charAt(at + 1);
  if (next === "" && !isWhole) return undefined;
  return punctuation.test(next) ? { shown: next, end: at + 2 } : { shown: "\\", end: at + 1 };
}

/** A URL is shown as it is, without looking for marks in it. */
function link(text: string, at: number, { isWhole }: Around): Span | undefined {
  const end = at + (/^[^\s`]*/u.exec(text.slice(at))?.[0].length ?? 0);
  if (end === text.length && !isWhole && end - at < longestSpan) return undefined;
  return { shown: text.slice(at, end), end };
}

function code(text: string, at: number, { style, isWhole }: Around): Span | undefined {
  const run = runAt(text, at);
  if (isOpenEnd(text, at + run.length, at, isWhole)) return undefined;
  const from = at + run.length;
  for (let close = text.indexOf(run, from); close !== -1;) {
    const end = close + runAt(text, close).length;
    if (isOpenEnd(text, end, at, isWhole)) return undefined;
    if (end - at > longestSpan) break;
    if (end - close === run.length) return { shown: style.paint("cyan", bare(text.slice(from, close))), end };
    close = text.indexOf(run, end);
  }
  return literalOrLater(text, at, run, isWhole);
}

/** Removes one blank on either side, which allows code to begin with a backtick. */
function bare(content: string): string {
  return /^ .*[^ ].* $/u.test(content) ? content.slice(1, -1) : content;
}

function emphasis(text: string, at: number, around: Around): Span | undefined {
  const run = runAt(text, at);
  const from = at + run.length;
  if (isOpenEnd(text, from, at, around.isWhole)) return undefined;
  const isClinging = clings.test(at === 0 ? around.before : text.charAt(at - 1));
  const next = text.charAt(from);
  const isNone = next === "" || noBeginning.test(next) || (run.length === 1 && pattern.test(next));
  if (run.length > 3 || isClinging || isNone) return { shown: run, end: from };
  for (let close = from; close < text.length && close - at < longestSpan;) {
    if (text.charAt(close) === "`") {
      const span = code(text, close, around);
      if (span === undefined) return undefined;
      close = span.end;
    } else if (text.charAt(close) === "*") {
      const end = close + runAt(text, close).length;
      if (isOpenEnd(text, end, at, around.isWhole)) return undefined;
      if (end - close === run.length && end - at <= longestSpan && closes(text, close, end))
        return { shown: emphasised(text.slice(from, close), run.length, around.style), end };
      close = end;
    } else close += text.charAt(close) === "\\" ? 2 : 1;
  }
  return literalOrLater(text, at, run, around.isWhole);
}

function closes(text: string, close: number, end: number): boolean {
  return !noEnd.test(text.charAt(close - 1)) && !clingsBehind.test(text.charAt(end));
}

function emphasised(content: string, marks: number, style: Style): string {
  // The end of an inner bold span would also end the outer one.
  const within = { ...style, bold: same, italic: same };
  const { shown } = inline(content, within, true);
  if (marks === 1) return style.italic(shown);
  return style.bold(marks === 2 ? shown : style.italic(shown));
}

const same = (text: string): string => text;

function runAt(text: string, at: number): string {
  const mark = text.charAt(at);
  let end = at + 1;
  while (text.charAt(end) === mark) end++;
  return text.slice(at, end);
}

/** Returns whether the text ends here, so that later text decides. */
function isOpenEnd(text: string, end: number, start: number, isWhole: boolean): boolean {
  return end === text.length && !isWhole && end - start <= longestSpan;
}

function literalOrLater(text: string, at: number, run: string, isWhole: boolean): Span | undefined {
  const isSettled = isWhole || text.length - at > longestSpan;
  return isSettled ? { shown: run, end: at + run.length } : undefined;
}

/** Returns how many characters at the end may be the beginning of a URL. */
function beginningOfLink(text: string): number {
  for (const length of [7, 6, 5, 4, 3, 2, 1])
    if ("https:/".startsWith(text.slice(-length)) || "http:/".startsWith(text.slice(-length)))
      return Math.min(length, text.length);
  return 0;
}
