/** The terminal's input side: keys edit the prompt, or the answer to a question in its place. Keys read together are painted once. */
import { TerminalLender } from "./terminal-lender.ts";
import { isEdit } from "./bindings.ts";
import { PromptHistory } from "./history.ts";
import { KeyActions } from "./key-actions.ts";
import { onResize, type KeyboardHandlers, type KeyboardOptions } from "./keyboard-options.ts";
import { KeySource } from "./key-source.ts";
import type { Key } from "./keys.ts";
import { RawTerminal } from "./raw-terminal.ts";
import type { CompletionMenu } from "./completion-menu.ts";
import { PromptArea } from "./prompt-area.ts";
import { PromptSearch } from "./search.ts";
import { TypedLines } from "./typed-lines.ts";
import { UnderPrompt } from "./under-prompt.ts";
import { vimKeys } from "./vim/keys.ts";

/**
 * Milliseconds without a new size until the prompt is painted again. While a window is dragged, tmux tells of the size four times a
 * second, and what is painted for a width that has changed already is found at the wrong row afterwards.
 */
const stillMs = 300;

export class Keyboard {
  readonly #options: KeyboardOptions;
  readonly #handlers: KeyboardHandlers;
  readonly #area: PromptArea;
  readonly #terminal: RawTerminal;
  readonly #source: KeySource;
  readonly #lender: TerminalLender;
  readonly #history = new PromptHistory(() => this.#options.earlier?.() ?? []);
  readonly #search = new PromptSearch(this.#history);
  readonly #cleanups: (() => void)[] = [];
  readonly #lines: TypedLines;
  readonly #underPrompt: UnderPrompt;
  readonly #actions: KeyActions;
  readonly #settleCursor: () => void;
  #isClosed = false;
  #stopResize: (() => void) | undefined;

  constructor(options: KeyboardOptions, handlers: KeyboardHandlers) {
    const { input, output, kind, style, job, modes, answers } = options;
    [this.#options, this.#handlers] = [options, handlers];
    this.#lines = new TypedLines(style.marks.prompt);
    this.#area = new PromptArea(output, kind, { hasShown: modes.hasShown, isSpoken: style.isSpoken });
    // Written into an open row of the answer, the line would become part of it.
    const show = (line: string): void => void (this.isShown && this.write(`${line}\n`));
    const noteEscapeUsed = (): void => this.#source.noteEscapeUsed();
    const [isAtPrompt, handle] = [() => this.#isAtPrompt, (all: readonly Key[], next?: Key) => this.#onKeys(all, next)];
    const { keys, below, settleCursor } = vimKeys(options, this.#lines.promptLine.editor, {
      isAtPrompt,
      handle,
      noteEscapeUsed,
      show,
    });
    this.#settleCursor = settleCursor;
    this.#underPrompt = new UnderPrompt(below, style.isSpoken ? show : undefined);
    this.#terminal = new RawTerminal(input, output, modes);
    this.#source = new KeySource(options, { keys, ended: () => (answers.giveUp(), this.#stopReading()) });
    this.#cleanups.push(
      onResize(output, () => this.#onResize()),
      () => this.#stopResize?.(),
    );
    const here = { job, handlers, answers, area: this.#area, terminal: this.#terminal, source: this.#source };
    this.#lender = new TerminalLender({ ...here, isClosed: () => this.#isClosed, paint: () => this.#paint() });
    if (job !== undefined) this.#cleanups.push(job.onContinue(() => this.#lender.onContinue()));
    this.#actions = this.#createActions(noteEscapeUsed);
    this.#terminal.take();
    answers.ask();
  }

  #onResize(): void {
    this.#area.noteResize();
    this.#stopResize?.();
    this.#stopResize = this.#options.after(stillMs, () => {
      this.#stopResize = undefined;
      this.refresh();
    });
  }

  #createActions(noteEscapeUsed: () => void): KeyActions {
    return new KeyActions({
      handlers: this.#handlers,
      lines: this.#lines,
      area: this.#area,
      history: this.#history,
      search: this.#search,
      underPrompt: this.#underPrompt,
      suspend: () => this.#lender.suspend(),
      stopReading: () => this.#stopReading(),
      takeText: () => this.takeText(),
      noteEscapeUsed,
    });
  }

  get text(): string {
    return this.#lines.active.editor.text;
  }

  /** The text typed at the prompt, even while a question is in its place. */
  get draft(): string {
    return this.#lines.promptLine.editor.text;
  }

  get isShown(): boolean {
    return this.#area.isShown;
  }

  /** True while another program has the terminal. */
  get isLent(): boolean {
    return this.#lender.isLent;
  }

  /** Gives another program the terminal while `work` runs. */
  lend(work: () => Promise<void>): Promise<void> {
    this.#search.giveUp();
    this.#underPrompt.clear();
    return this.#lender.lend(work);
  }

  /** Shows the prompt; `text` replaces what stands before the input. */
  prompt(text = this.#lines.promptLine.prompt): void {
    this.#lines.promptLine.prompt = text;
    this.#paint();
  }

  /** Paints the prompt again if it is shown. While its window is dragged, that waits. */
  refresh(): void {
    if (this.isShown && this.#stopResize === undefined) this.#paint();
  }

  /** Adds earlier prompts to the history, the oldest first. `again` is put at the prompt if that is empty. */
  remember(prompts: readonly string[], again?: string): void {
    for (const prompt of prompts) this.#history.add(prompt);
    if (again !== undefined && this.draft === "") this.#lines.promptLine.editor.set(again);
  }

  /** Adds a text typed in place of an answer to the history. The prompt and its draft stay as they are. */
  rememberAside(text: string): void {
    this.#history.addAside(text);
  }

  /** Replaces the text at the prompt, which shows at its next painting. */
  replaceText(text: string): void {
    this.#lines.promptLine.editor.set(text);
  }

  /** Until `endAnswer`, keys answer a question. */
  beginAnswer(prompt: string): void {
    this.#search.giveUp();
    this.#underPrompt.clear();
    this.#lines.beginAnswer(prompt);
    this.#paint();
  }

  endAnswer(): void {
    this.#lines.endAnswer();
  }

  /** Shows candidates for the prompt. Does nothing if the prompt has changed since. */
  offer(menu: CompletionMenu | undefined): void {
    if (!this.#isAtPrompt || !this.#underPrompt.offer(menu, this.#lines.promptLine.editor)) return;
    // If nothing can be shown below the prompt, write the candidates above it.
    if (this.#area.isLinear) this.write(menu?.lines ?? "");
    this.refresh();
  }

  /** Removes the typed text from the line and returns it. */
  takeText(): string {
    const { text } = this;
    if (text === "" || this.#isClosed) return text;
    this.#lines.active.editor.set("");
    if (!this.#lines.isAnswering) this.#history.stopBrowsing();
    if (this.#area.isShown) this.#paint();
    return text;
  }

  /** Takes the prompt off the screen. */
  wipe(): void {
    this.#area.wipe();
  }

  /** Leaves the prompt on the screen with the typed text, or with a note in its place. Later output appears below it. */
  leaveRow(note?: string): void {
    this.#search.giveUp();
    if (!this.#area.isShown) return;
    const { prompt } = this.#lines.active;
    if (note === undefined) this.#area.end(prompt, this.text);
    else this.#area.endWithNote(prompt, note);
  }

  /** Writes other output, above the prompt if that is shown. */
  write(text: string): void {
    const isShown = this.isShown && text.endsWith("\n");
    if (isShown) this.#area.wipe();
    this.#options.output.write(text);
    if (isShown) this.#paint();
  }

  /** Stops reading and restores the terminal. */
  close(): void {
    this.leaveRow();
    this.#stopReading();
    for (const unlisten of this.#cleanups.splice(0)) unlisten();
    this.#source.close();
    this.#terminal.giveBack();
  }

  /** True if the prompt is shown and nothing is in its place. */
  get #isAtPrompt(): boolean {
    return !this.#lines.isAnswering && this.#search.shownPrompt === undefined && this.#area.isShown;
  }

  /** Stops reading keys. */
  #stopReading(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The terminal itself would show an answer, and keep it for the shell.
    this.#options.answers.whenOver(() => this.#terminal.leaveRawMode());
    this.#handlers.closed();
  }

  #onKeys(keys: readonly Key[], next?: Key): void {
    for (const [at, key] of keys.entries()) {
      if (this.#isClosed) return;
      this.#handlers.pressed();
      this.#actions.press(key, (keys[at + 1] ?? next)?.type === "text");
    }
    const last = keys.at(-1);
    // The shell had the terminal since then: `TerminalLender.onContinue` paints the prompt.
    if (this.#isClosed || last === undefined || this.#actions.last === "suspend") return;
    const wasShown = this.#area.isShown;
    if (this.text === "" && this.#search.shownPrompt === undefined) this.#handlers.emptied();
    else if (!wasShown) this.#handlers.typing();
    this.#settleCursor();
    this.#suggest(isEdit(last, this.#actions.last) || this.#underPrompt.hasTaken);
    if (wasShown) this.refresh();
  }

  #suggest(isTyped: boolean): void {
    const mayBe = isTyped && this.#isAtPrompt && !this.#area.isLinear;
    const { text, cursor } = this.#lines.promptLine.editor;
    const draft = this.#actions.last === "escape" ? undefined : { text, cursor };
    if (!this.#handlers.suggest(draft, mayBe) && mayBe) this.#underPrompt.dropOldMenu();
  }

  #paint(): void {
    if (this.#isClosed) return;
    const { prompt, editor } = this.#lines.active;
    if (this.#search.shownPrompt !== undefined) return this.#area.paint(this.#search.shownPrompt);
    this.#settleCursor();
    const below = this.#lines.isAnswering ? undefined : this.#underPrompt.below;
    const { text, cursor, selection } = editor;
    this.#area.paint({ prompt, text, cursor, selection, below });
  }
}
