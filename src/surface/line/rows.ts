/** Text broken into the rows of a terminal, as the terminal itself breaks it. */

const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]$/u;
/** Joined to the character before it: marks, joiners, skin tones. */
const joined = /^[\p{Mn}\p{Me}\p{Cf}\p{Emoji_Modifier}\u1160-\u11ff]$/u;
const flagHalf = /^[\u{1f1e6}-\u{1f1ff}]$/u;
const zeroWidthJoiner = "\u200d";

/** ASCII is broken by its length alone: a paste may be long. */
const pieces = /[ -~]+|[^ -~]/gu;
const tabWidth = 8;

export class Rows {
  readonly #columns: number;
  readonly lines: string[] = [""];
  #column = 0;
  /** The character before, where it may take the next one to itself. */
  #open = "";

  constructor(columns: number) {
    this.#columns = Math.max(1, columns);
  }

  /** Where what comes next stands. A row that is full goes on in the next one. */
  get at(): { row: number; column: number } {
    const row = this.lines.length - 1;
    return this.#column < this.#columns ? { row, column: this.#column } : { row: row + 1, column: 0 };
  }

  /** Text without controls and line ends; a tab becomes blanks. */
  add(text: string): void {
    for (const [piece] of text.matchAll(pieces)) {
      if (piece === "\t") this.#addPlain(" ".repeat(tabWidth - (this.at.column % tabWidth)));
      else if (piece >= " " && piece < "\x7f") this.#addPlain(piece);
      else this.#addCharacter(piece);
    }
  }

  #addPlain(run: string): void {
    this.#open = "";
    for (let at = 0; at < run.length;) {
      const room = this.#columns - this.#column;
      const piece = run.slice(at, at + (room > 0 ? room : this.#columns));
      this.#put(piece, piece.length);
      at += piece.length;
    }
  }

  #addCharacter(character: string): void {
    const isFlagHalf = character > "\u{1f1e5}" && flagHalf.test(character);
    const isJoined = character > "\u02ff" && joined.test(character);
    const takes = isJoined || this.#open === zeroWidthJoiner || (isFlagHalf && this.#open === "flag");
    if (takes) this.#put(character, 0);
    else this.#put(character, character > "\u10ff" && wide.test(character) ? 2 : 1);
    this.#open = isFlagHalf && !takes ? "flag" : character;
  }

  #put(piece: string, columns: number): void {
    if (this.#column + columns > this.#columns && this.#column > 0) {
      this.lines.push("");
      this.#column = 0;
    }
    this.lines[this.lines.length - 1] += piece;
    this.#column += columns;
  }
}
