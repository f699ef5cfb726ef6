/** What each key does at the prompt, or at the answer to a question in its place. */
import { actionOf, isEdit, type Action } from "./bindings.ts";
import type { Editor } from "./editor.ts";
import type { PromptHistory } from "./history.ts";
import type { KeyboardHandlers } from "./keyboard-options.ts";
import type { Key } from "./keys.ts";
import { lineStart } from "./motion.ts";
import type { PromptArea } from "./prompt-area.ts";
import type { PromptSearch } from "./search.ts";
import type { TakenBack } from "./typed-ahead.ts";
import type { TypedLines } from "./typed-lines.ts";
import type { Hint, UnderPrompt } from "./under-prompt.ts";

interface KeyActionsContext {
  handlers: KeyboardHandlers;
  lines: TypedLines;
  area: PromptArea;
  history: PromptHistory;
  search: PromptSearch;
  underPrompt: UnderPrompt;
  /** Suspends pawl and returns to the shell. */
  suspend: () => void;
  /** Stops reading keys. */
  stopReading: () => void;
  /** Removes the typed text from the line and returns it. */
  takeText: () => string;
  /** The Esc had an effect, so the next key is not a key with Alt. */
  noteEscapeUsed: () => void;
}

const noLine: TakenBack = { what: "nothing" };

export class KeyActions {
  readonly #context: KeyActionsContext;
  #last: Action | undefined;

  constructor(context: KeyActionsContext) {
    this.#context = context;
  }

  /** The action of the last key. */
  get last(): Action | undefined {
    return this.#last;
  }

  get #editor(): Editor {
    return this.#context.lines.active.editor;
  }

  get #isAnswering(): boolean {
    return this.#context.lines.isAnswering;
  }

  /** `hasTextAfter`: text came together with the key. */
  press(key: Key, hasTextAfter: boolean): void {
    const { underPrompt, search, lines, noteEscapeUsed } = this.#context;
    const { editor } = lines.promptLine;
    const action = key.type === "press" ? actionOf(key.name, this.#last) : undefined;
    this.#last = action;
    const hint = underPrompt.takeHint();
    const isTaken = underPrompt.press(action, isEdit(key, action), editor) || search.press(key, action, editor);
    if (isTaken || (action === "escape" && this.#escape(hint))) {
      if (action === "escape") noteEscapeUsed();
    } else if (action === "tab" || action === "tabBack") this.#tab(action, hasTextAfter);
    else if (key.type !== "press") this.#type(key.text, key.type === "paste");
    else if (action !== undefined) this.#act(action);
  }

  #type(text: string, isPasted = false): void {
    this.#editor.insert(text);
    if (isPasted && !this.#isAnswering) this.#context.handlers.pasted(text, this.#editor);
  }

  #act(action: Action): void {
    const { handlers, area, search, suspend, stopReading } = this.#context;
    switch (action) {
      case "send":
        return this.#send();
      case "newLine":
        return this.#type("\n");
      case "up":
      case "down":
        return this.#moveLine(action);
      case "interrupt":
        return handlers.interrupt();
      case "endOfInput":
        return this.#editor.text === "" ? stopReading() : this.#editor.do("eraseRight");
      case "suspend":
        return suspend();
      case "clearScreen":
        return area.clearScreen();
      case "searchOlder":
      case "searchNewer":
        return this.#isAnswering ? undefined : search.begin();
      case "giveUp":
      case "edit":
        return this.#isAnswering ? undefined : handlers.edit();
      case "picture":
        return this.#isAnswering ? undefined : handlers.picture(this.#editor);
      case "transcript":
        return handlers.transcript();
      case "tab":
      case "tabBack":
      case "escape":
      case "prefix":
        return;
      default:
        return this.#editor.do(action);
    }
  }

  /** From the first line, Up takes back the prompts that wait for the running turn, the newest first, and then goes through the history. */
  #moveLine(direction: "up" | "down"): void {
    const { handlers, history, underPrompt } = this.#context;
    const editor = this.#editor;
    if (editor.moveLine(direction) || this.#isAnswering) return;
    const draft = editor.text;
    const back = direction === "up" ? handlers.takeBack(draft) : noLine;
    switch (back.what) {
      case "nothing":
        return history.move(direction, editor);
      case "command":
        return underPrompt.hint("clearFirst");
      case "sending":
        return underPrompt.hint("isSending");
      case "line":
        history.stopBrowsing();
        return editor.set(draft === "" ? back.text : `${back.text}\n${draft}`, back.text.length);
      default:
        back satisfies never;
    }
  }

  /** In terminals that do not mark pastes, a tab with text after it is part of a paste. */
  #tab(action: "tab" | "tabBack", hasTextAfter: boolean): void {
    const { handlers, underPrompt } = this.#context;
    if (action === "tabBack") return handlers.cycleMode();
    if (this.#isAnswering) return;
    const { text, cursor } = this.#editor;
    if (handlers.complete({ text, cursor })) return;
    const isIndent = text !== "" && text.slice(lineStart(text, cursor), cursor).trim() === "";
    if (hasTextAfter || isIndent) this.#type("\t");
    else underPrompt.hint("whatTabDoes");
  }

  /** Returns whether Esc had an effect. */
  #escape(hint: Hint | undefined): boolean {
    const { handlers, area, underPrompt, takeText } = this.#context;
    if (handlers.escape()) return true;
    const { text } = this.#editor;
    if (!area.isShown || (text === "" && this.#isAnswering)) return false;
    const isAgain = underPrompt.isSecondPress(hint, text === "" ? "goBack" : "escapeAgain");
    if (isAgain && takeText() === "") this.#send("/rewind");
    return isAgain;
  }

  #send(written?: string): void {
    const { handlers, area, history, lines } = this.#context;
    const { editor } = lines.active;
    const isPrompt = !lines.isAnswering;
    if (written !== undefined) editor.set(written);
    if (isPrompt && !handlers.maySend()) return;
    // A backslash at the end asks for a new line, but an escaped one (an even number of them) does not.
    if (/(?<!\\)(?:\\\\)*\\$/u.test(editor.text.slice(0, editor.cursor))) {
      editor.do("eraseLeft");
      return this.#type("\n");
    }
    const { text } = editor;
    if (!area.isShown && text !== "") handlers.typing();
    if (area.isShown || text !== "") area.end(lines.active.prompt, text);
    if (isPrompt) history.add(text);
    editor.clear();
    handlers.line(text);
  }
}
