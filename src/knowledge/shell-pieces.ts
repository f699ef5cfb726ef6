/** The shell lines in the text of a skill or command, and what stands between them. Each line is looked at once, however many fences there are. */

export interface Piece {
  text: string;
  /** Instead of text. */
  command?: string;
}

/** A shell line stands at the beginning of a line or behind a blank. */
const shellLine = /(^|\s)!`([^`\n]+)`/gmu;
const opening = /^(?:[ \t]*(```!)| {0,3}(```|~~~))[^\n]*\n/gmu;
const closings = {
  "```!": /^[ \t]*```[ \t]*$/gmu,
  "```": /^ {0,3}```[`~]*[ \t]*$/gmu,
  "~~~": /^ {0,3}~~~[`~]*[ \t]*$/gmu,
};

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

/** One that is never closed is none. */
function blocksIn(body: string): Block[] {
  const found: Block[] = [];
  const ends = { "```!": new Ends(body, "```!"), "```": new Ends(body, "```"), "~~~": new Ends(body, "~~~") };
  for (const { index, 0: head, 1: shell, 2: mark } of body.matchAll(opening)) {
    if (index < (found.at(-1)?.end ?? 0)) continue;
    const start = index + head.length;
    const close = ends[(shell ?? mark) as keyof typeof closings].from(start);
    if (close === undefined) continue;
    found.push({ index, end: close.end, ...(shell === undefined ? {} : { command: body.slice(start, close.index) }) });
  }
  return found;
}

/** The places where blocks can end, asked for from front to back. */
class Ends {
  readonly #all: { index: number; end: number }[];
  #at = 0;

  constructor(body: string, mark: keyof typeof closings) {
    this.#all = Array.from(body.matchAll(closings[mark]), ({ index, 0: whole }) => ({
      index,
      end: index + whole.length,
    }));
  }

  from(start: number): { index: number; end: number } | undefined {
    while ((this.#all[this.#at]?.index ?? Infinity) < start) this.#at += 1;
    return this.#all[this.#at];
  }
}
