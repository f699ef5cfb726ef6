/** The terminal's output side: tracks whether a line is open, and holds output back while a person types. */
export class Screen {
  readonly #out: { write(text: string): unknown };
  #isLineOpen = false;
  #heldOutput: string[] | undefined;
  /** The waiting output ends within a line. */
  #isHeldOpen = false;
  #cuts = 0;
  readonly #hasGaps: boolean;
  /** The last row, on the screen or in the waiting output, is empty, or there are no rows. */
  #isBlank = true;
  /** The last row on the screen is empty. The waiting output may go on after it. */
  #isScreenBlank = true;
  /** The last row on the screen was written by the keyboard. */
  #isBelowTyped = false;
  /**
   * Whether an empty row comes above the waiting output. Only its release decides that: the line that is being typed may be sent,
   * which puts a row above the output, or be deleted.
   */
  #heldGap: "none" | "belowTyped" | "always" = "none";

  /** `hasGaps`: separate text, tool calls and questions by empty rows. */
  constructor(out: { write(text: string): unknown }, hasGaps: boolean) {
    this.#out = out;
    this.#hasGaps = hasGaps;
  }

  get isHeld(): boolean {
    return this.#heldOutput !== undefined;
  }

  get isLineOpen(): boolean {
    return this.#isLineOpen;
  }

  /** True if the next text continues a line, on the screen or in the waiting output. */
  get #isOpen(): boolean {
    return this.#heldOutput === undefined ? this.#isLineOpen : this.#isHeldOpen;
  }

  /** How often an open line was ended by other output. */
  get cuts(): number {
    return this.#cuts;
  }

  /** Writes text, which must be safe to show. */
  write(text: string): void {
    if (text === "") return;
    this.#isBlank = text.endsWith("\n\n") || (text === "\n" && !this.#isOpen);
    if (this.#heldOutput === undefined) return this.#put(text);
    this.#heldOutput.push(text);
    this.#isHeldOpen = !text.endsWith("\n");
  }

  /** Writes a separate line. */
  line(text: string): void {
    this.endOpenLine();
    this.write(`${text}\n`);
  }

  /** The same, without waiting until the person has finished typing. */
  lineAtOnce(text: string): void {
    if (this.#heldOutput === undefined) return this.line(text);
    this.#out.write(`${text}\n`);
    this.#noteScreenRow();
  }

  /** Writes the output that waits so far, and keeps the line free for the prompt. */
  flushHeld(): void {
    if (this.#heldOutput === undefined || this.#heldOutput.length === 0) return;
    this.endOpenLine();
    const text = this.#takeHeld();
    this.#out.write(text);
    this.#heldOutput = [];
  }

  /** Ends an open line. */
  endOpenLine(): void {
    if (!this.#isOpen) return;
    this.#cuts += 1;
    this.write("\n");
  }

  /** Ends an open line, and writes an empty row unless there is one already. */
  gap(): void {
    this.endOpenLine();
    if (this.#heldOutput?.length === 0) this.#heldGap = "always";
    else if (this.#hasGaps && !this.#isBlank) this.write("\n");
  }

  /** The same if the next output comes right below a row that the keyboard has written. */
  gapBelowTyped(): void {
    if (this.#heldOutput === undefined) {
      if (this.#isBelowTyped) this.gap();
    } else if (this.#heldOutput.length === 0 && this.#heldGap === "none") this.#heldGap = "belowTyped";
  }

  /** Call this when the keyboard has written the last row. */
  noteTypedRow(): void {
    this.#noteScreenRow();
    this.#isBelowTyped = true;
  }

  /** The last row on the screen is another one now, and is not empty. */
  #noteScreenRow(): void {
    this.#isScreenBlank = false;
    if (this.#heldOutput === undefined || this.#heldOutput.length === 0) this.#isBlank = false;
  }

  /** Other output has ended the open row. */
  rowEnded(): void {
    if (this.#isLineOpen) this.#cuts += 1;
    this.#isLineOpen = false;
  }

  /** Until `release`, all output waits, and the line is free for a prompt. */
  hold(): void {
    if (this.#heldOutput !== undefined) return;
    this.endOpenLine();
    this.#heldOutput = [];
    this.#isHeldOpen = false;
    this.#isScreenBlank = this.#isBlank;
  }

  release(): void {
    if (this.#heldOutput === undefined) return;
    const text = this.#takeHeld();
    this.#heldOutput = undefined;
    if (text !== "") this.#put(text);
  }

  /** Returns the output that waits, with the empty row above it. */
  #takeHeld(): string {
    const isGap =
      this.#hasGaps &&
      !this.#isScreenBlank &&
      (this.#heldGap === "always" || (this.#heldGap === "belowTyped" && this.#isBelowTyped));
    const text = (this.#heldOutput ?? []).join("");
    this.#heldGap = "none";
    if (isGap && text === "") this.#isBlank = true;
    if (isGap || text !== "") this.#isBelowTyped = false;
    this.#isScreenBlank = this.#isBlank;
    return isGap ? `\n${text}` : text;
  }

  #put(text: string): void {
    this.#isLineOpen = !text.endsWith("\n");
    this.#isBelowTyped = false;
    this.#out.write(text);
  }
}

/**
 * Clears the row and all rows below, and puts the cursor at its start. It does not erase from the first column on: in the screen's
 * first row tmux takes that for clearing the screen, and copies it into the scrollback (`scroll-on-clear`).
 */
export const clearRowAndBelow = "\x1b[2K\x1b[2G\x1b[J\r";

/**
 * Returns the rows so that the terminal cuts them off where it would wrap them. A terminal may be narrower than it has said: tmux tells
 * of a changing size four times a second. A wrapped row would move the cursor's place.
 */
export function withoutWrapping(rows: string): string {
  return rows === "" ? "" : `\x1b[?7l${rows}\x1b[?7h`;
}

export interface TerminalSize {
  rows: number;
  columns: number;
}

/** Replaces a size of 0, which a terminal reports if it was never told its size, as over some connections. */
export function sizeOf({ rows, columns }: Partial<TerminalSize>): TerminalSize {
  return { rows: rows || 24, columns: columns || 80 };
}

/** Returns the most rows a line can take: a character that is not ASCII may be two columns wide. */
export function maxRowCount(line: string, columns: number): number {
  const width = line.replaceAll(/[^ -~]/gu, "  ").length;
  return Math.max(1, Math.ceil(width / Math.max(1, columns)));
}
