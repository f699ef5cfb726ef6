/**
 * Emphasis and code within a line. Characters that are not clearly Markdown stay as they are: a coding agent writes `**kwargs`,
 * `src/*.ts` and `__init__` in its sentences, and none of it may be lost. Underscores are never emphasis.
 */
import type { Style } from "../../show/style.ts";

/** The most characters from an opening mark to the end of its closing mark. */
const maxSpanLength = 400;
const special = /[`*\\]|https?:\/\//gu;
const punctuation = /[!-/:-@[-`{-~]/u;
/** Characters before an opening mark, or after a closing one, that make it part of a word, a path or a pattern. */
const joinsBefore = /[\w/\\.$*]/u;
const joinsAfter = /[\w/\\$*]/u;
/** Emphasis does not begin with a blank or with a character that continues a pattern. */
const cannotOpenEmphasis = /[\s/\\,;:!?)\]}|]/u;
const patternStart = /[.-]/u;
const cannotCloseEmphasis = /[\s/\\,([{|]/u;

export interface InlineResult {
  /** The text to show. */
  shown: string;
  /** Raw text that the next piece may complete. */
  rest: string;
}

/** `isWhole`: the text goes to the end of the line. `before` is the character before the text. */
export function renderInline(text: string, style: Style, isWhole: boolean, before = ""): InlineResult {
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
  const open = isWhole ? 0 : partialLinkLength(tail);
  return { shown: shown + tail.slice(0, tail.length - open), rest: tail.slice(tail.length - open) };
}

interface InlineContext {
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
function spanAt(text: string, at: number, context: InlineContext): Span | undefined {
  switch (text.charAt(at)) {
    case "\\":
      return escapeSpan(text, at, context);
    case "`":
      return codeSpan(text, at, context);
    case "*":
      return emphasisSpan(text, at, context);
    default:
      return linkSpan(text, at, context);
  }
}

function escapeSpan(text: string, at: number, { isWhole }: InlineContext): Span | undefined {
  const next = text.charAt(at + 1);
  if (next === "" && !isWhole) return undefined;
  return punctuation.test(next) ? { shown: next, end: at + 2 } : { shown: "\\", end: at + 1 };
}

/** A URL is shown as it is, without looking for marks in it. */
function linkSpan(text: string, at: number, { isWhole }: InlineContext): Span | undefined {
  const end = at + (/^[^\s`]*/u.exec(text.slice(at))?.[0].length ?? 0);
  if (end === text.length && !isWhole && end - at < maxSpanLength) return undefined;
  return { shown: text.slice(at, end), end };
}

function codeSpan(text: string, at: number, { style, isWhole }: InlineContext): Span | undefined {
  const run = markRunAt(text, at);
  if (isOpenEnd(text, at + run.length, at, isWhole)) return undefined;
  const from = at + run.length;
  for (let close = text.indexOf(run, from); close !== -1;) {
    const end = close + markRunAt(text, close).length;
    if (isOpenEnd(text, end, at, isWhole)) return undefined;
    if (end - at > maxSpanLength) break;
    if (end - close === run.length) return { shown: style.code(withoutPadding(text.slice(from, close))), end };
    close = text.indexOf(run, end);
  }
  return literalIfDecided(text, at, run, isWhole);
}

/** Removes one blank on either side, which allows code to begin with a backtick. */
function withoutPadding(content: string): string {
  return /^ .*[^ ].* $/u.test(content) ? content.slice(1, -1) : content;
}

function emphasisSpan(text: string, at: number, context: InlineContext): Span | undefined {
  const run = markRunAt(text, at);
  const from = at + run.length;
  if (isOpenEnd(text, from, at, context.isWhole)) return undefined;
  const isJoined = joinsBefore.test(at === 0 ? context.before : text.charAt(at - 1));
  const next = text.charAt(from);
  const isNone = next === "" || cannotOpenEmphasis.test(next) || (run.length === 1 && patternStart.test(next));
  if (run.length > 3 || isJoined || isNone) return { shown: run, end: from };
  for (let close = from; close < text.length && close - at < maxSpanLength;) {
    if (text.charAt(close) === "`") {
      const span = codeSpan(text, close, context);
      if (span === undefined) return undefined;
      close = span.end;
    } else if (text.charAt(close) === "*") {
      const end = close + markRunAt(text, close).length;
      if (isOpenEnd(text, end, at, context.isWhole)) return undefined;
      if (end - close === run.length && end - at <= maxSpanLength && canClose(text, close, end))
        return { shown: renderEmphasis(text.slice(from, close), run.length, context.style), end };
      close = end;
    } else close += text.charAt(close) === "\\" ? 2 : 1;
  }
  return literalIfDecided(text, at, run, context.isWhole);
}

function canClose(text: string, close: number, end: number): boolean {
  return !cannotCloseEmphasis.test(text.charAt(close - 1)) && !joinsAfter.test(text.charAt(end));
}

function renderEmphasis(content: string, marks: number, style: Style): string {
  // The end of an inner bold span would also end the outer one.
  const within = { ...style, bold: unchanged, italic: unchanged };
  const { shown } = renderInline(content, within, true);
  if (marks === 1) return style.italic(shown);
  return style.bold(marks === 2 ? shown : style.italic(shown));
}

const unchanged = (text: string): string => text;

function markRunAt(text: string, at: number): string {
  const mark = text.charAt(at);
  let end = at + 1;
  while (text.charAt(end) === mark) end++;
  return text.slice(at, end);
}

/** Returns whether the text ends here, so that later text decides. */
function isOpenEnd(text: string, end: number, start: number, isWhole: boolean): boolean {
  return end === text.length && !isWhole && end - start <= maxSpanLength;
}

function literalIfDecided(text: string, at: number, run: string, isWhole: boolean): Span | undefined {
  const isSettled = isWhole || text.length - at > maxSpanLength;
  return isSettled ? { shown: run, end: at + run.length } : undefined;
}

/** Returns how many characters at the end may be the beginning of a URL. */
function partialLinkLength(text: string): number {
  for (const length of [7, 6, 5, 4, 3, 2, 1])
    if ("https:/".startsWith(text.slice(-length)) || "http:/".startsWith(text.slice(-length)))
      return Math.min(length, text.length);
  return 0;
}
