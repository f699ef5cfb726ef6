/** Shows the model's text as it streams, with an empty row between it and other output. */
import { sanitize } from "../../lib/sanitize.ts";
import type { Style } from "../show/style.ts";
import { DeltaText, withoutFirstEnds } from "./delta-text.ts";
import { Markdown, markdown } from "./markdown/markdown.ts";
import type { Screen } from "./screen.ts";

export class Answer {
  readonly #screen: Screen;
  readonly #style: Style;
  readonly #columns: () => number;
  readonly #delta = new DeltaText();
  readonly #markdown: Markdown;
  /** The screen's count of cuts at the last look. */
  #cuts = 0;
  /** The streamed text of the open block, to recognise the finished block by. */
  #streamed: string | undefined;
  #hasBegun = false;
  /** The kind of output that was shown last. */
  #above: "prompt" | "text" | "interrupt" | "other" = "other";

  constructor(screen: Screen, style: Style, columns: () => number) {
    this.#screen = screen;
    this.#style = style;
    this.#columns = columns;
    this.#markdown = new Markdown(style, columns);
  }

  /** Call this when a text block starts to stream. */
  begin(): void {
    this.flush();
    this.#streamed = "";
  }

  push(delta: string): void {
    const text = this.#hasBegun ? delta : withoutFirstEnds(delta);
    this.#streamed = (this.#streamed ?? "") + delta;
    if (!this.#hasBegun && text !== "") this.#open();
    // A notice may have come in the middle of the text.
    if (this.#hasBegun && this.#above !== "interrupt") this.#above = "text";
    this.#noteCuts();
    this.#screen.write(this.#markdown.push(this.#delta.push(text)));
  }

  /** Call this when a block of any kind has ended. */
  end(): void {
    if (this.#streamed === undefined) return;
    this.flush();
    this.#screen.fresh();
  }

  /** Shows a finished block, unless exactly this text was streamed. */
  show(text: string): void {
    const isShown = this.#streamed === text;
    this.#streamed = undefined;
    if (isShown || text.trim() === "") return;
    this.#apart();
    this.#above = "text";
    const shown = markdown(sanitize(withoutFirstEnds(text)), this.#style, this.#columns()).replace(/\n$/u, "");
    this.#screen.line(this.#style.marks.answer + shown);
  }

  /** Writes the text that waited to be completed, because no more text comes. */
  flush(): void {
    this.#noteCuts();
    this.#hasBegun = false;
    this.#screen.write(this.#markdown.push(this.#delta.end()) + this.#markdown.end());
  }

  /** Writes the waiting text when a person interrupts the answer. */
  cutOff(): void {
    this.#noteCuts();
    this.#screen.write(this.#markdown.cutOff());
    this.#above = "interrupt";
  }

  /** Call this before other output: writes an empty row after the text, and between the prompt and a tool call. */
  leave(isCall = false): void {
    if (this.#above === "text" || (isCall && this.#above === "prompt")) this.#screen.gap();
    this.#above = "other";
  }

  /** A turn starts below the typed prompt. */
  beginTurn(): void {
    this.#above = "prompt";
    this.#screen.typed();
  }

  /** Ends the text at the end of the turn. */
  close(): void {
    this.#streamed = undefined;
    this.flush();
    this.#screen.fresh();
  }

  #open(): void {
    this.#apart();
    this.#hasBegun = true;
    this.#screen.write(this.#style.marks.answer);
  }

  /** Separates the text from other output, but not from a previous text block, which may belong to the same paragraph. */
  #apart(): void {
    if (this.#above === "text") this.#screen.fresh();
    else this.#screen.gap();
  }

  /** Tells the Markdown renderer if other output has ended the open row. */
  #noteCuts(): void {
    const { cuts } = this.#screen;
    if (this.#cuts !== cuts) this.#markdown.rowEnded();
    this.#cuts = cuts;
  }
}
