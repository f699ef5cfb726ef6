/** The terminal's input side: keys edit the prompt, or the answer to a question in its place. Keys read together are painted once. */
import { TerminalLender } from "./terminal-lender.ts";
import { actionOf, isEdit, type Action } from "./bindings.ts";
import { Editor } from "./editor.ts";
import { PromptHistory } from "./history.ts";
import { onResize, type KeyboardHandlers, type KeyboardOptions } from "./keyboard-options.ts";
import { KeySource } from "./key-source.ts";
import type { Key } from "./keys.ts";
import { RawTerminal } from "./raw-terminal.ts";
import type { CompletionMenu } from "./completion-menu.ts";
import { lineStart } from "./motion.ts";
import { PromptArea } from "./prompt-area.ts";
import { PromptSearch } from "./search.ts";
import { UnderPrompt, type Hint } from "./under-prompt.ts";
import { vimKeys } from "./vim/keys.ts";

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
  readonly #promptLine: { prompt: string; editor: Editor };
  /** Replaces the prompt while a question is asked. */
  #answerLine: { prompt: string; editor: Editor } | undefined;
  /** The action of the last key. */
  #lastAction: Action | undefined;
  readonly #underPrompt: UnderPrompt;
  #isClosed = false;

  constructor(options: KeyboardOptions, handlers: KeyboardHandlers) {
    const { input, output, kind, style, job, modes } = options;
    [this.#options, this.#handlers] = [options, handlers];
    this.#promptLine = { prompt: style.marks.prompt, editor: new Editor() };
    this.#area = new PromptArea(output, kind, { hasShown: modes.hasShown, isSpoken: style.isSpoken });
    // Written into an open row of the answer, the line would become part of it.
    const show = (line: string): void => void (this.isShown && this.write(`${line}\n`));
    const noteEscapeUsed = (): void => this.#source.noteEscapeUsed();
    const [isAtPrompt, handle] = [() => this.#isAtPrompt, (all: readonly Key[], next?: Key) => this.#onKeys(all, next)];
    const { keys, below } = vimKeys(options, this.#promptLine.editor, { isAtPrompt, handle, noteEscapeUsed, show });
    this.#underPrompt = new UnderPrompt(below, style.isSpoken ? show : undefined);
    this.#terminal = new RawTerminal(input, output, modes);
    this.#source = new KeySource(options, { keys, ended: () => this.#stopReading() });
    this.#cleanups.push(onResize(output, () => this.#area.resized()));
    const here = { job, handlers, area: this.#area, terminal: this.#terminal, source: this.#source };
    this.#lender = new TerminalLender({ ...here, isClosed: () => this.#isClosed, paint: () => this.#paint() });
    if (job !== undefined) this.#cleanups.push(job.onContinue(() => this.#lender.onContinue()));
    this.#terminal.take();
  }

  get text(): string {
    return this.#active.editor.text;
  }

  /** The text typed at the prompt, even while a question is in its place. */
  get draft(): string {
    return this.#promptLine.editor.text;
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
  prompt(text = this.#promptLine.prompt): void {
    this.#promptLine.prompt = text;
    this.#paint();
  }

  /** Adds earlier prompts to the history, the oldest first. `again` is put at the prompt if that is empty. */
  remember(prompts: readonly string[], again?: string): void {
    for (const prompt of prompts) this.#history.add(prompt);
    if (again !== undefined && this.draft === "") this.#promptLine.editor.set(again);
  }

  /** Replaces the text at the prompt, which shows at its next painting. */
  replaceText(text: string): void {
    this.#promptLine.editor.set(text);
  }

  /** Until `endAnswer`, keys answer a question. */
  beginAnswer(prompt: string): void {
    this.#search.giveUp();
    this.#underPrompt.clear();
    this.#answerLine = { prompt, editor: new Editor() };
    this.#paint();
  }

  endAnswer(): void {
    this.#answerLine = undefined;
  }

  /** Shows candidates for the prompt. Does nothing if the prompt has changed since. */
  offer(menu: CompletionMenu | undefined): void {
    if (!this.#isAtPrompt || !this.#underPrompt.offer(menu, this.#promptLine.editor)) return;
    // If nothing can be shown below the prompt, write the candidates above it.
    if (this.#area.isLinear) this.write(menu?.lines ?? "");
    this.#paint();
  }

  /** Removes the typed text from the line and returns it. */
  takeText(): string {
    const { text } = this;
    if (text === "" || this.#isClosed) return text;
    this.#active.editor.set("");
    if (this.#answerLine === undefined) this.#history.stopBrowsing();
    if (this.#area.isShown) this.#paint();
    return text;
  }

  /** Takes the prompt off the screen. */
  wipe(): void {
    this.#area.wipe();
  }

  /** Leaves the prompt on the screen with the typed or another text. Later output appears below it. */
  leaveRow(text = this.text): void {
    this.#search.giveUp();
    if (this.#area.isShown) this.#area.end(this.#active.prompt, text);
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

  get #active(): { prompt: string; editor: Editor } {
    return this.#answerLine ?? this.#promptLine;
  }

  /** True if the prompt is shown and nothing is in its place. */
  get #isAtPrompt(): boolean {
    return this.#answerLine === undefined && this.#search.shownPrompt === undefined && this.#area.isShown;
  }

  /** Stops reading keys. */
  #stopReading(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#terminal.leaveRawMode();
    this.#handlers.closed();
  }

  #onKeys(keys: readonly Key[], next?: Key): void {
    for (const [at, key] of keys.entries()) {
      if (this.#isClosed) return;
      this.#handlers.pressed();
      this.#onKey(key, (keys[at + 1] ?? next)?.type === "text");
    }
    const last = keys.at(-1);
    // The shell had the terminal since then: `TerminalLender.onContinue` paints the prompt.
    if (this.#isClosed || last === undefined || this.#lastAction === "suspend") return;
    const wasShown = this.#area.isShown;
    if (this.text === "" && this.#search.shownPrompt === undefined) this.#handlers.emptied();
    else if (!wasShown) this.#handlers.typing();
    this.#suggest(isEdit(last, this.#lastAction) || this.#underPrompt.hasTaken);
    if (wasShown && this.#area.isShown) this.#paint();
  }

  #suggest(isTyped: boolean): void {
    const mayBe = isTyped && this.#isAtPrompt && !this.#area.isLinear;
    const { text, cursor } = this.#promptLine.editor;
    const draft = this.#lastAction === "escape" ? undefined : { text, cursor };
    if (!this.#handlers.suggest(draft, mayBe) && mayBe) this.#underPrompt.dropOldMenu();
  }

  /** `hasTextAfter`: text came together with the key. */
  #onKey(key: Key, hasTextAfter: boolean): void {
    const action = key.type === "press" ? actionOf(key.name, this.#lastAction) : undefined;
    this.#lastAction = action;
    const hint = this.#underPrompt.takeHint();
    const isTaken =
      this.#underPrompt.press(action, isEdit(key, action), this.#promptLine.editor) ||
      this.#search.press(key, action, this.#promptLine.editor);
    if (isTaken || (action === "escape" && this.#escape(hint))) {
      if (action === "escape") this.#source.noteEscapeUsed();
    } else if (action === "tab" || action === "tabBack") this.#tab(action, hasTextAfter);
    else if (key.type !== "press") this.#type(key.text, key.type === "paste");
    else if (action !== undefined) this.#act(action);
  }

  #type(text: string, isPasted = false): void {
    this.#active.editor.insert(text);
    if (isPasted && this.#answerLine === undefined) this.#handlers.pasted(text, this.#promptLine.editor);
  }

  #act(action: Action): void {
    const { editor } = this.#active;
    switch (action) {
      case "send":
        return this.#send();
      case "newLine":
        return this.#type("\n");
      case "up":
      case "down":
        if (!editor.moveLine(action) && this.#answerLine === undefined) this.#history.move(action, editor);
        return undefined;
      case "interrupt":
        return this.#handlers.interrupt();
      case "endOfInput":
        return editor.text === "" ? this.#stopReading() : editor.do("eraseRight");
      case "suspend":
        return this.#lender.suspend();
      case "clearScreen":
        return this.#area.clearScreen();
      case "searchOlder":
      case "searchNewer":
        return this.#answerLine === undefined ? this.#search.begin() : undefined;
      case "giveUp":
      case "edit":
        return this.#answerLine === undefined ? this.#handlers.edit() : undefined;
      case "picture":
        return this.#answerLine === undefined ? this.#handlers.picture(editor) : undefined;
      case "transcript":
        return this.#handlers.transcript();
      case "tab":
      case "tabBack":
      case "escape":
      case "prefix":
        return;
      default:
        return editor.do(action);
    }
  }

  /** In terminals that do not mark pastes, a tab with text after it is part of a paste. */
  #tab(action: "tab" | "tabBack", hasTextAfter: boolean): void {
    if (action === "tabBack") return this.#handlers.cycleMode();
    if (this.#answerLine !== undefined) return;
    const { text, cursor } = this.#promptLine.editor;
    if (this.#handlers.complete({ text, cursor })) return;
    const isIndent = text !== "" && text.slice(lineStart(text, cursor), cursor).trim() === "";
    if (hasTextAfter || isIndent) this.#type("\t");
    else this.#underPrompt.hint("whatTabDoes");
  }

  /** Returns whether Esc had an effect. */
  #escape(hint: Hint | undefined): boolean {
    if (this.#handlers.escape()) return true;
    if (!this.#area.isShown || (this.text === "" && this.#answerLine !== undefined)) return false;
    const isAgain = this.#underPrompt.isSecondPress(hint, this.text === "" ? "goBack" : "escapeAgain");
    if (isAgain && this.takeText() === "") this.#send("/rewind");
    return isAgain;
  }

  #send(written?: string): void {
    const { editor } = this.#active;
    if (written !== undefined) editor.set(written);
    if (this.#answerLine === undefined && !this.#handlers.maySend()) return;
    // A backslash at the end asks for a new line, but an escaped one (an even number of them) does not.
    if (/(?<!\\)(?:\\\\)*\\$/u.test(editor.text.slice(0, editor.cursor))) {
      editor.do("eraseLeft");
      return this.#type("\n");
    }
    const { text } = editor;
    if (!this.#area.isShown && text !== "") this.#handlers.typing();
    if (this.#area.isShown || text !== "") this.#area.end(this.#active.prompt, text);
    if (this.#answerLine === undefined) this.#history.add(text);
    editor.clear();
    this.#handlers.line(text);
  }

  #paint(): void {
    if (this.#isClosed) return;
    const { prompt, editor } = this.#active;
    if (this.#search.shownPrompt !== undefined) return this.#area.paint(this.#search.shownPrompt);
    const below = this.#answerLine === undefined ? this.#underPrompt.below : undefined;
    const { text, cursor, selection } = editor;
    this.#area.paint({ prompt, text, cursor, selection, below });
  }
}
