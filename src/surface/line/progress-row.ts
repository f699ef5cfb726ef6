/**
 * A row below the conversation during silence: what is running, for how long, and the key that ends it. Any other output removes
 * the row first, so that nothing of it stays on the screen. While a prompt is being typed, the row is under the prompt.
 */
import { oneLine } from "../../lib/sanitize.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { Style } from "../show/style.ts";
import { CurrentWork } from "./current-work.ts";
import type { KeyboardOptions } from "./keyboard-options.ts";
import { redirectWrites } from "./output-gate.ts";
import type { LinesBelow } from "./prompt-area.ts";
import { clearRowAndBelow, sizeOf, withoutWrapping } from "./screen.ts";
import type { TerminalKind } from "./terminal-modes.ts";
import { truncateToWidth } from "./width.ts";

type Output = KeyboardOptions["output"];

/** Milliseconds of silence before the row appears, and between two updates. */
const silenceMs = 1_000;
/** Milliseconds of silence if a row of the answer is open, which must be ended first. */
const longSilenceMs = 5_000;
/** Milliseconds of silence before a line for a screen reader. The time doubles with each line. */
const spokenSilenceMs = 10_000;
/** How many lines of a running command's output are shown. */
const maxPrintedLines = 3;
/** How many rows name what waits for the turn, and how many characters of a prompt are shown. */
const maxQueuedRows = 3;
const maxQueuedLength = 200;
const interruptHint = "Esc interrupts";

export interface ProgressRowOptions extends Pick<KeyboardOptions, "output" | "now" | "after"> {
  style: Style;
  cwd: string;
  /** A `dumb` terminal cannot erase a row, so it gets none. */
  kind: TerminalKind;
  /** Returns whether the row below the conversation is free. */
  isFree: () => boolean;
  /** Ends the open row of the answer, if there is one. */
  endRow: () => void;
  /** Returns whether the row belongs under a prompt that is being typed. */
  isUnderPrompt: () => boolean;
  /** Esc is a key of Vim's while a prompt is being typed. */
  hasVim: boolean;
  /** Called each second to paint the prompt, if it is shown, with what is under it. */
  onChange: () => void;
  /** Returns the prompts and commands that wait for the running turn. */
  waiting: () => readonly string[];
  /** The rows under it. */
  below?: LinesBelow;
}

export class ProgressRow {
  readonly #options: ProgressRowOptions;
  readonly #work: CurrentWork;
  /** The output that all other code writes to. */
  readonly output: Output;
  #isShown = false;
  #writtenAt = 0;
  /** When the turn reported something last. */
  #heardAt = 0;
  /** The hint on the key that ends the work. */
  #keyHint = interruptHint;
  #stop: (() => void) | undefined;
  /** Milliseconds of silence until the next line for a screen reader. */
  #spokenAfter = spokenSilenceMs;

  constructor(options: ProgressRowOptions) {
    this.#options = options;
    const { output } = options;
    this.#work = new CurrentWork(options);
    this.output = redirectWrites(output, (text) => this.#write(text));
  }

  /** A turn begins, or the person's own `command`. */
  begin(command?: string): void {
    if (this.#options.kind === "dumb") return;
    this.#work.begin(command);
    this.#keyHint = interruptHint;
    this.#spokenAfter = spokenSilenceMs;
    this.#writtenAt = this.#heardAt = this.#options.now();
    this.#scheduleUpdate();
  }

  end(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#wipe();
  }

  /** Call this after an interrupt. */
  onInterrupt(): void {
    this.#keyHint = "Ctrl+C exits at once";
  }

  onMessage(message: SDKMessage): void {
    if (this.#stop === undefined) return;
    // What a command prints is shown in the rows themselves.
    if (message.type !== "tool_progress") this.#heardAt = this.#options.now();
    this.#work.onMessage(message);
  }

  /** The person's own command has printed something. */
  onOwnOutput(text: string): void {
    this.#work.onOwnOutput(text);
  }

  /** Shows the row at once if only what the person has typed took its place, and not the turn's output. */
  showAgain(): void {
    const { now, isFree, style } = this.#options;
    const isSilent = this.#stop !== undefined && now() - this.#heardAt >= silenceMs;
    if (isSilent && isFree() && !style.isSpoken) this.#show();
  }

  #scheduleUpdate(): void {
    const { now, after, isFree, isUnderPrompt, onChange, endRow, style } = this.#options;
    this.#stop = after(silenceMs, () => {
      const silent = now() - this.#writtenAt;
      if (style.isSpoken) {
        if (silent >= this.#spokenAfter) this.#writeSpokenLine();
        return this.#scheduleUpdate();
      }
      if (silent >= longSilenceMs) endRow();
      if (isUnderPrompt()) onChange();
      if (isFree() && silent >= silenceMs) this.#show();
      this.#scheduleUpdate();
    });
  }

  /** Writes a line that stays on the screen. */
  #writeSpokenLine(): void {
    const { output, style, isFree, endRow } = this.#options;
    endRow();
    if (!isFree()) return;
    output.write(`${style.note(`still working: ${this.#work.label}, ${this.#work.elapsed}. ${this.#keyHint}.`)}\n`);
    this.#spokenAfter *= 2;
  }

  /** The rows under the prompt: this row while a prompt is being typed, and the rows under it. */
  readonly underPrompt: LinesBelow = (rows, columns) => {
    const isShown = this.#stop !== undefined && this.#options.isUnderPrompt();
    const own =
      isShown && rows > 0 ? [this.#row(columns, this.#typingHint), ...this.#detailRows(rows - 1, columns)] : [];
    return [...own, ...(this.#options.below?.(rows - own.length, columns) ?? [])];
  };

  /**
   * The cursor waits at the row's beginning, where each terminal leaves it when a change of width wraps the row. At its end, erasing
   * would have to count rows by a width that may have changed already.
   */
  #show(): void {
    const { output, below } = this.#options;
    const room = sizeOf(output).columns - 1;
    this.#wipe();
    const details = this.#detailRows(sizeOf(output).rows - 4, room);
    const under = [...details, ...(below?.(sizeOf(output).rows - 2 - details.length, room) ?? [])];
    const back = under.length === 0 ? "" : `\x1b[${under.length}A`;
    output.write(`${withoutWrapping([this.#row(room, this.#keyHint), ...under].join("\n"))}${back}\r`);
    this.#isShown = true;
  }

  get #typingHint(): string {
    return this.#options.hasVim && this.#keyHint === interruptHint ? "Ctrl+C interrupts" : this.#keyHint;
  }

  #row(room: number, hint: string): string {
    const tail = ` · ${this.#work.elapsed} · ${hint}`;
    const label = truncateToWidth(this.#work.label, Math.max(8, room - tail.length - 2));
    return this.#options.style.dim(`  ${truncateToWidth(label + tail, room - 2)}`);
  }

  /** Returns at most `maxRows` rows: the last that the running command has printed, and what waits for the turn. */
  #detailRows(maxRows: number, room: number): string[] {
    const { style, waiting } = this.#options;
    const queued = queuedRows(waiting(), Math.min(maxRows, maxQueuedRows));
    const left = Math.min(maxPrintedLines, maxRows - queued.length);
    const printed = left < 1 ? [] : this.#work.printedLines.slice(-left).map((line) => `    ${line}`);
    return [...printed, ...queued].map((line) => style.dim(truncateToWidth(line, room)));
  }

  #write(text: string): boolean {
    this.#wipe();
    this.#writtenAt = this.#options.now();
    this.#spokenAfter = spokenSilenceMs;
    return this.#options.output.write(text);
  }

  /** Erases the row and the rows below it. */
  #wipe(): void {
    if (this.#isShown) this.#options.output.write(clearRowAndBelow);
    this.#isShown = false;
  }
}

function queuedRows(waiting: readonly string[], maxRows: number): string[] {
  if (maxRows < 1) return [];
  const isCut = waiting.length > maxRows;
  const shown = isCut ? waiting.slice(0, maxRows - 1) : waiting;
  const rows = shown.map((text) => `  queued: ${oneLine(text, maxQueuedLength)}`);
  return isCut ? [...rows, `  queued: ${waiting.length - shown.length}${shown.length === 0 ? "" : " more"}`] : rows;
}
