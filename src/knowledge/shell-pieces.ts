/** The shell lines in the text of a skill or command, and what stands between them. Each line is looked at once, however many fences there are. */

export interface Piece {
  text: string;
  /** Instead of text. */
  command?: string;
}

/** A shell line stands at the beginning of a line or behind a blank. */
const shellLine = /(^|\s)!`([^`\n]+)`/gmu;
const opening = /^(?:[ \t]*(```!)| {0,3}(`{3,}(?!`)|~{3,}(?!~)))[^\n]*\n/gmu;
const closing = { shell: /^[ \t]*```[ \t]*$/gmu, block: /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[`~]*[ \t]*$/gmu };
/** Of the characters of a fence so many tell one from another. */
const mostTold = 12;

export function hasShellLines(body: string): boolean {
  return piecesOf(body).length > 1;
}

/** Text and shell lines in turn. What stands in a code block is an example. */
export function piecesOf(body: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const cut = (index: number, end: number, command: string): void => {
    pieces.push({ text: body.slice(from, index) }, { text: "", command: command.trim() });
    from = end;
  };
  let past = 0;
  const lines = (until: number): void => {
    for (const { index, 0: whole, 1: blank = "", 2: command = "" } of body.slice(past, until).matchAll(shellLine))
      cut(past + index + blank.length, past + index + whole.length, command);
  };
  for (const { index, end, command } of blocksIn(body)) {
    lines(index);
    if (command !== undefined) cut(index, end, command);
    past = end;
  }
  lines(body.length);
  return [...pieces, { text: body.slice(from) }];
}

interface Block {
  index: number;
  end: number;
  /** Of one that is to be run. */
  command?: string;
}

/** One that is never closed is none, and a fence ends with one that is as long at least. */
function blocksIn(body: string): Block[] {
  const found: Block[] = [];
  const shellEnds = new Ends(placesOf(body, closing.shell));
  const places = placesOf(body, closing.block);
  const ends = new Map<string, Ends>();
  const endsOf = (fence: string): Ends => {
    const mark = fence.slice(0, mostTold);
    const known = ends.get(mark) ?? new Ends(places.filter((place) => place.mark.startsWith(mark)));
    ends.set(mark, known);
    return known;
  };
  for (const { index, 0: head, 1: shell, 2: fence = "" } of body.matchAll(opening)) {
    if (index < (found.at(-1)?.end ?? 0)) continue;
    const start = index + head.length;
    const close = (shell === undefined ? endsOf(fence) : shellEnds).from(start);
    if (close === undefined) continue;
    found.push({ index, end: close.end, ...(shell === undefined ? {} : { command: body.slice(start, close.index) }) });
  }
  return found;
}

interface Place {
  index: number;
  end: number;
  mark: string;
}

function placesOf(body: string, pattern: RegExp): Place[] {
  return Array.from(body.matchAll(pattern), ({ index, 0: whole, 1: mark = "" }) => ({
    index,
    end: index + whole.length,
    mark,
  }));
}

/** The places where blocks can end, asked for from front to back. */
class Ends {
  readonly #all: readonly Place[];
  #at = 0;

  constructor(all: readonly Place[]) {
    this.#all = all;
  }

  from(start: number): Place | undefined {
    while ((this.#all[this.#at]?.index ?? Infinity) < start) this.#at += 1;
    return this.#all[this.#at];
  }
}
