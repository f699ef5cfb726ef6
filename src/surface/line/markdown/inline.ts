/**
 * Emphasis and code within a line. A mark that is not clearly one stays as it stands: a coding agent writes `**kwargs`,
 * `src/*.ts` and `__init__` into its sentences, and none of it may be lost. Underscores are never taken for emphasis.
 */
import type { Style } from "../../show/style.ts";

/** Characters from a mark on within which its other half must come. */
const longestSpan = 400;
const special = /[`*\\]|https?:\/\//gu;
const punctuation = /[!-/:-@[-`{-~]/u;
/** Before an opening mark and behind a closing one: what makes it a part of a word, a path or a pattern. */
const clings = /[\w/\\.$*]/u;
const clingsBehind = /[\w/\\$*]/u;
/** What emphasis does not begin with: a blank, or what a pattern goes on with. */
const noBeginning = /[\s/\\,;:!?)\]}|]/u;
const pattern = /[.-]/u;
const noEnd = /[\s/\\,([{|]/u;

export interface Inline {
  /** As it is shown. */
  shown: string;
  /** What the next piece may complete, as it came. */
  rest: string;
}

/** `isWhole`: nothing of the line follows. `before`: the character in front of the text. */
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
  /** Behind it. */
  end: number;
}

/** Undefined where what it is shows only later. */
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

/** An address is no place for marks. */
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

/** A blank on either side is there so that the code may begin with a backtick. */
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
  // Bold within bold would end with the first of them.
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

/** The text ends here, and what follows decides. */
function isOpenEnd(text: string, end: number, start: number, isWhole: boolean): boolean {
  return end === text.length && !isWhole && end - start <= longestSpan;
}

function literalOrLater(text: string, at: number, run: string, isWhole: boolean): Span | undefined {
  const isSettled = isWhole || text.length - at > longestSpan;
  return isSettled ? { shown: run, end: at + run.length } : undefined;
}

/** How many characters at the end may be the beginning of an address. */
function beginningOfLink(text: string): number {
  for (const length of [7, 6, 5, 4, 3, 2, 1])
    if ("https:/".startsWith(text.slice(-length)) || "http:/".startsWith(text.slice(-length)))
      return Math.min(length, text.length);
  return 0;
}
