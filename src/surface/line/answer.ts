/** What the model says: its text as it streams, with an empty row between it and what stands around it. */
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
  /** The screen's count of cut lines that this text has taken into account. */
  #cuts = 0;
  /** What was streamed of the open block: the finished block is recognised by it. */
  #streamed: string | undefined;
  #hasBegun = false;
  /** What was shown last. */
  #above: "prompt" | "text" | "other" = "other";

  constructor(screen: Screen, style: Style, columns: () => number) {
    this.#screen = screen;
    this.#style = style;
    this.#columns = columns;
    this.#markdown = new Markdown(style, columns);
  }

  /** A block of text starts to stream. */
  begin(): void {
    this.flush();
    this.#streamed = "";
  }

  push(delta: string): void {
    const text = this.#hasBegun ? delta : withoutFirstEnds(delta);
    this.#streamed = (this.#streamed ?? "") + delta;
    if (!this.#hasBegun && text !== "") this.#open();
    this.#noteCuts();
    this.#screen.write(this.#markdown.push(this.#delta.push(text)));
  }

  /** A block has ended; it need not be one of text. */
  end(): void {
    if (this.#streamed === undefined) return;
    this.flush();
    this.#screen.fresh();
  }

  /** The finished block: shown here where it was not streamed as it is. */
  show(text: string): void {
    const isShown = this.#streamed === text;
    this.#streamed = undefined;
    if (isShown || text.trim() === "") return;
    this.#apart();
    this.#above = "text";
    const shown = markdown(sanitize(withoutFirstEnds(text)), this.#style, this.#columns()).replace(/\n$/u, "");
    this.#screen.line(this.#style.marks.answer + shown);
  }

  /** Writes what still waited for more text: no more comes, perhaps because the answer broke off. */
  flush(): void {
    this.#noteCuts();
    this.#hasBegun = false;
    this.#screen.write(this.#markdown.push(this.#delta.end()) + this.#markdown.end());
  }

  /** The answer is cut off by a person. */
  cutOff(): void {
    this.#noteCuts();
    this.#screen.write(this.#markdown.cutOff());
    this.#above = "other";
  }

  /** Something else is about to be shown: an empty row keeps it apart from the text, and a call from the prompt, too. */
  leave(isCall = false): void {
    if (this.#above === "text" || (isCall && this.#above === "prompt")) this.#screen.gap();
    this.#above = "other";
  }

  /** A turn begins below what was typed. */
  beginTurn(): void {
    this.#above = "prompt";
    this.#screen.typed();
  }

  /** The turn is over. */
  close(): void {
    this.#streamed = undefined;
    this.flush();
    this.#screen.fresh();
  }

  #open(): void {
    this.#apart();
    this.#hasBegun = true;
    this.#above = "text";
    this.#screen.write(this.#style.marks.answer);
  }

  /** Two blocks of text in a row may be parts of one paragraph. */
  #apart(): void {
    if (this.#above === "text") this.#screen.fresh();
    else this.#screen.gap();
  }

  /** A line of the text that somebody else ended goes on in a row of its own. */
  #noteCuts(): void {
    const { cuts } = this.#screen;
    if (this.#cuts !== cuts) this.#markdown.rowEnded();
    this.#cuts = cuts;
  }
}
