/** Finds the shell lines in a skill's or command's text, and the text between. Searches each line once, however many fences there are. */
import { widthOf } from "./code-fences.ts";
import { HtmlComments } from "./html-comments.ts";

export interface Piece {
  text: string;
  /** Present in place of text. */
  command?: string;
}

/** A shell line is at the beginning of a line or after a blank. */
const shellLine = /(^|\s)!`([^`\n]+)`/gmu;
/** Inside double backticks it is an example. */
const doubleBacktickSpan = /^``[ \t]!`[^`]+`[ \t]``$/u;
const openingFence =
  /^(?:[ \t]*(```!)[^`\n]*|((?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*[ \t]*)(`{3,}(?=[^`\n]*\n)|~{3,}(?!~))[^\n]*)\n/gmu;
const closingFence = { shell: /^()[ \t]*```[ \t]*$/gmu, block: /^([ \t>]*)(`{3,}|~{3,})[ \t]*$/gmu };
/** A fence that says its content is data, not an example of a skill. */
const dataFence = /^ {0,3}```(?:json|jsonc|json5|text|txt|diff|csv|xml)[ \t]*\n$/u;
/** The whole content of a block. */
const onlyShellLine = /^[ \t]*!`[^`\n]+`[ \t]*\n$/u;
/** How many characters of a fence are compared. */
const maxComparedLength = 12;
/** How far a closing fence may be indented from the margin or from a list marker; deeper only if its opening fence is. */
const maxFenceIndent = 3;

export function hasShellLines(body: string): boolean {
  return splitShellPieces(body).length > 1;
}

/**
 * Returns text and shell lines alternately. A shell line in a code block, a comment or between double backticks is not run, unless it is all
 * that a block of data holds: published skills put the output of a command there (```json).
 */
export function splitShellPieces(body: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const addCommand = (index: number, end: number, command: string): void => {
    pieces.push({ text: body.slice(from, index) }, { text: "", command: command.trim() });
    from = end;
  };
  let past = 0;
  const addShellLines = (until: number): void => {
    // With the character before, so that text right behind a comment does not look like the beginning of a line.
    const start = Math.max(0, past - 1);
    for (const { index, 0: whole, 1: blank = "", 2: command = "" } of body.slice(start, until).matchAll(shellLine)) {
      const [first, last] = [start + index, start + index + whole.length];
      if (doubleBacktickSpan.test(body.slice(Math.max(0, first - 2), last + 3))) continue;
      addCommand(first + blank.length, last, command);
    }
  };
  for (const { index, end, command } of findBlocks(body)) {
    addShellLines(index);
    if (command !== undefined) addCommand(index, end, command);
    past = end;
  }
  addShellLines(body.length);
  return [...pieces, { text: body.slice(from) }];
}

interface Block {
  index: number;
  end: number;
  /** Present if the block is to be run. */
  command?: string;
}

/**
 * Finds code blocks and HTML comments as a renderer would: none begins within another. A fence ends at one that is at least as long and not
 * indented deeper, or at the end of the text. Fences may be in lists and quotes, whose depth is not tracked. An unclosed block that would be
 * run is ignored.
 */
function findBlocks(body: string): Block[] {
  const found: Block[] = [];
  const comments = new HtmlComments(body);
  const shellEnds = new FenceCursor(findClosingFences(body, closingFence.shell));
  const places = findClosingFences(body, closingFence.block);
  const ends = new Map<string, FenceCursor>();
  const endsOf = (fence: string, before: string): FenceCursor => {
    const mark = fence.slice(0, maxComparedLength);
    const isQuoted = before.includes(">");
    const isMarked = before.trim() !== "";
    const width = widthOf(before);
    const deepest = Math.min(isMarked ? width + maxFenceIndent : Math.max(width, maxFenceIndent), maxComparedLength);
    const key = `${mark}${isQuoted}${deepest}`;
    const isEnd = (place: ClosingFence): boolean =>
      place.mark.startsWith(mark) &&
      (isQuoted || !place.before.includes(">")) &&
      (deepest === maxComparedLength || widthOf(place.before) <= deepest);
    const known = ends.get(key) ?? new FenceCursor(places.filter(isEnd));
    ends.set(key, known);
    return known;
  };
  for (const { index, 0: head, 1: shell, 2: before = "", 3: fence = "" } of body.matchAll(openingFence)) {
    for (const comment of comments.takeBetween(found.at(-1)?.end ?? 0, index)) found.push(comment);
    if (index < (found.at(-1)?.end ?? 0)) continue;
    const start = index + head.length;
    const close = (shell === undefined ? endsOf(fence, before) : shellEnds).firstFrom(start);
    if (close !== undefined && dataFence.test(head) && onlyShellLine.test(body.slice(start, close.index)))
      found.push({ index, end: start }, { index: close.index, end: close.end });
    else if (shell === undefined) found.push({ index, end: close?.end ?? body.length });
    else if (close !== undefined) found.push({ index, end: close.end, command: body.slice(start, close.index) });
  }
  for (const comment of comments.takeBetween(found.at(-1)?.end ?? 0, body.length)) found.push(comment);
  return found;
}

interface ClosingFence {
  index: number;
  end: number;
  before: string;
  mark: string;
}

function findClosingFences(body: string, pattern: RegExp): ClosingFence[] {
  return Array.from(body.matchAll(pattern), ({ index, 0: whole, 1: before = "", 2: mark = "" }) => ({
    index,
    end: index + whole.length,
    before,
    mark,
  }));
}

/** The places where blocks can end, requested in ascending order. */
class FenceCursor {
  readonly #fences: readonly ClosingFence[];
  #at = 0;

  constructor(fences: readonly ClosingFence[]) {
    this.#fences = fences;
  }

  firstFrom(start: number): ClosingFence | undefined {
    while ((this.#fences[this.#at]?.index ?? Infinity) < start) this.#at += 1;
    return this.#fences[this.#at];
  }
}
