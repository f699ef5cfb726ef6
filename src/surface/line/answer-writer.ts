/** Shows the model's text as it streams, with an empty row between it and other output. */
import { sanitize } from "../../lib/sanitize.ts";
import type { SDKPartialAssistantMessage } from "../../protocol/sdk.ts";
import type { Style } from "../show/style.ts";
import { DeltaText, withoutLeadingLineEnds } from "./delta-text.ts";
import { Markdown, renderMarkdown } from "./markdown/markdown.ts";
import type { Screen } from "./screen.ts";

export class AnswerWriter {
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
  #previousOutput: "prompt" | "text" | "interrupt" | "other" = "other";

  constructor(screen: Screen, style: Style, columns: () => number) {
    this.#screen = screen;
    this.#style = style;
    this.#columns = columns;
    this.#markdown = new Markdown(style, columns);
  }

  onStreamEvent(event: SDKPartialAssistantMessage["event"]): void {
    const block = event["content_block"] as { type?: unknown } | undefined;
    const delta = event["delta"] as { type?: unknown; text?: unknown } | undefined;
    if (event.type === "content_block_start" && block?.type === "text") this.#beginBlock();
    else if (event.type === "content_block_delta" && delta?.type === "text_delta" && typeof delta.text === "string")
      this.#push(delta.text);
    else if (event.type === "content_block_stop") this.#endBlock();
  }

  #beginBlock(): void {
    this.flush();
    this.#streamed = "";
  }

  #push(delta: string): void {
    const text = this.#hasBegun ? delta : withoutLeadingLineEnds(delta);
    this.#streamed = (this.#streamed ?? "") + delta;
    if (!this.#hasBegun && text !== "") this.#open();
    // A notice may have come in the middle of the text.
    if (this.#hasBegun && this.#previousOutput !== "interrupt") this.#previousOutput = "text";
    this.#syncCuts();
    this.#screen.write(this.#markdown.push(this.#delta.push(text)));
  }

  #endBlock(): void {
    if (this.#streamed === undefined) return;
    this.flush();
    this.#screen.endOpenLine();
  }

  /** Shows a finished block, unless exactly this text was streamed. */
  showBlock(text: string): void {
    const isShown = this.#streamed === text;
    this.#streamed = undefined;
    if (isShown || text.trim() === "") return;
    this.#separate();
    this.#previousOutput = "text";
    const shown = renderMarkdown(sanitize(withoutLeadingLineEnds(text)), this.#style, this.#columns()).replace(
      /\n$/u,
      "",
    );
    this.#screen.line(this.#style.marks.answer + shown);
  }

  /** Writes the text that waited to be completed, because no more text comes. */
  flush(): void {
    this.#syncCuts();
    this.#hasBegun = false;
    this.#screen.write(this.#markdown.push(this.#delta.end()) + this.#markdown.end());
  }

  /** Writes the waiting text when a person interrupts the answer. */
  flushInterrupted(): void {
    this.#syncCuts();
    this.#screen.write(this.#markdown.flushInterrupted());
    this.#previousOutput = "interrupt";
  }

  /** Call this before other output: writes an empty row after the text, and between the prompt and a tool call. */
  beforeOtherOutput(isCall = false): void {
    if (this.#previousOutput === "text" || (isCall && this.#previousOutput === "prompt")) this.#screen.gap();
    this.#previousOutput = "other";
  }

  /** A turn starts below the typed prompt. */
  beginTurn(): void {
    this.notePromptShown();
    this.#screen.noteTypedRow();
  }

  notePromptShown(): void {
    this.#previousOutput = "prompt";
  }

  /** Ends the text at the end of the turn. */
  close(): void {
    this.#streamed = undefined;
    this.flush();
    this.#screen.endOpenLine();
  }

  #open(): void {
    this.#separate();
    this.#hasBegun = true;
    this.#screen.write(this.#style.marks.answer);
  }

  /** Separates the text from other output, but not from a previous text block, which may belong to the same paragraph. */
  #separate(): void {
    if (this.#previousOutput === "text") this.#screen.endOpenLine();
    else this.#screen.gap();
  }

  /** Tells the Markdown renderer if other output has ended the open row. */
  #syncCuts(): void {
    const { cuts } = this.#screen;
    if (this.#cuts !== cuts) this.#markdown.rowEnded();
    this.#cuts = cuts;
  }
}
