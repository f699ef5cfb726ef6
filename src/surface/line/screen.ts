/** The terminal's output side: knows whether a line is open, and waits while a person types, so that the two never mix. */
export class Screen {
  readonly #out: { write(text: string): unknown };
  #isLineOpen = false;
  #held: string[] | undefined;
  /** What waits ends within a line. */
  #isHeldOpen = false;
  #cuts = 0;
  readonly #hasGaps: boolean;
  /** The last row is empty, or there is none. */
  #isBlank = true;

  /** `hasGaps`: empty rows are wanted between what is said, done and asked. */
  constructor(out: { write(text: string): unknown }, hasGaps: boolean) {
    this.#out = out;
    this.#hasGaps = hasGaps;
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  get isLineOpen(): boolean {
    return this.#isLineOpen;
  }

  /** What is written now goes on with a line that is on the screen, or that waits. */
  get #isOpen(): boolean {
    return this.#held === undefined ? this.#isLineOpen : this.#isHeldOpen;
  }

  /** How often an open line was ended by another than its own text. */
  get cuts(): number {
    return this.#cuts;
  }

  /** Text as it comes; it must be safe to show. */
  write(text: string): void {
    if (text === "") return;
    this.#isBlank = text.endsWith("\n\n") || (text === "\n" && !this.#isOpen);
    if (this.#held === undefined) return this.#put(text);
    this.#held.push(text);
    this.#isHeldOpen = !text.endsWith("\n");
  }

  /** A line of its own. */
  line(text: string): void {
    this.fresh();
    this.write(`${text}\n`);
  }

  /** The same, and it does not wait until a person has typed. */
  now(text: string): void {
    if (this.#held === undefined) this.line(text);
    else this.#out.write(`${text}\n`);
  }

  /** What waits comes now, up to here, and the line stays free for the prompt. */
  catchUp(): void {
    if (this.#held === undefined || this.#held.length === 0) return;
    this.fresh();
    this.#out.write(this.#held.join(""));
    this.#held = [];
  }

  /** Ends an open line. */
  fresh(): void {
    if (!this.#isOpen) return;
    this.#cuts += 1;
    this.write("\n");
  }

  /** Ends an open line, and leaves an empty row before what comes next, unless there is one. */
  gap(): void {
    this.fresh();
    if (this.#hasGaps && !this.#isBlank) this.write("\n");
  }

  /** The keyboard has written the last row. */
  typed(): void {
    this.#isBlank = false;
  }

  /** Somebody else has ended the row that was open. */
  rowEnded(): void {
    if (this.#isLineOpen) this.#cuts += 1;
    this.#isLineOpen = false;
  }

  /** From here to `release` everything waits; the line is free for a prompt. */
  hold(): void {
    if (this.#held !== undefined) return;
    this.fresh();
    this.#held = [];
    this.#isHeldOpen = false;
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) this.#put(text);
  }

  #put(text: string): void {
    this.#isLineOpen = !text.endsWith("\n");
    this.#out.write(text);
  }
}

/**
 * Empties the row, and all below it, the cursor at its beginning. It is not erased from there on: in the screen's first row tmux
 * takes that for a clear screen, and keeps a copy where a person scrolls back to (`scroll-on-clear`).
 */
export const emptied = "\x1b[2K\x1b[2G\x1b[J\r";

export interface TerminalSize {
  rows: number;
  columns: number;
}

/** Where a terminal was never told its size, as over some connections, it says 0. */
export function sizeOf({ rows, columns }: Partial<TerminalSize>): TerminalSize {
  return { rows: rows || 24, columns: columns || 80 };
}

/** Rows a line takes at most: what is not ASCII may be two columns wide. */
export function rowsOf(line: string, columns: number): number {
  const width = line.replaceAll(/[^ -~]/gu, "  ").length;
  return Math.max(1, Math.ceil(width / Math.max(1, columns)));
}
