/**
 * Completions at the prompt, on Tab and while typing. The code that finds them is loaded at first use, while the prompt can be
 * edited.
 */
import { errorText } from "../../lib/error-text.ts";
import { sanitize } from "../../lib/sanitize.ts";
import { untilAbort } from "../../lib/until-abort.ts";
import type { Style } from "../show/style.ts";
import type { suggestCommand } from "./complete.ts";
import { commandForm, mentionForm, type CompletionEngine } from "./completion-forms.ts";
import type { Editor } from "./editor.ts";
import type { Draft } from "./history.ts";
import type { CompletionMenu } from "./menu.ts";
import { ownCommand } from "./own-command.ts";

/** The delay before files are searched, because the next character typed would make the search useless. */
const untilFilesMs = 120;
/** The most characters of dropped file paths. */
const longestDropped = 4000;

export interface CompletionsOptions {
  style: Style;
  /** Receives the candidates, or undefined if there is nothing to suggest. */
  offer: (menu: CompletionMenu | undefined) => void;
  /** The text at the prompt was changed. */
  changed: () => void;
  /** Reports an error. */
  notice: (text: string) => void;
  /** Calls `then` after so many milliseconds; returns a function that cancels it. */
  after: (milliseconds: number, then: () => void) => () => void;
}

export class Completions {
  readonly #options: CompletionsOptions;
  #suggestCommand: typeof suggestCommand | undefined;
  /** The draft that completions are or will be looked up for. */
  #asked: Draft | undefined;
  #notYet = (): void => {};
  #looking: { stop: AbortController; done: Promise<void> } | undefined;
  /** All lookups that were started, given up or not. */
  #unfinished: Promise<unknown> = Promise.resolve();

  constructor(options: CompletionsOptions) {
    this.#options = options;
  }

  /**
   * Offers completions for the word being typed: for commands at once, except the first time. Gives up a lookup for another draft.
   * Returns false if nothing will be offered.
   */
  suggest(engine: CompletionEngine | undefined, draft: Draft | undefined, isTyped: boolean): boolean {
    const asked = this.#asked;
    if (isTyped || draft?.text !== asked?.text || draft?.cursor !== asked?.cursor) this.#giveUp();
    if (engine === undefined || draft === undefined || !isTyped) return false;
    const before = draft.text.slice(0, draft.cursor);
    const isAtEnd = draft.cursor === draft.text.length;
    if (isAtEnd && commandForm.test(before)) return this.#commands(engine, draft);
    if (!mentionForm.test(before) || !/^(?:\s|$)/u.test(draft.text.slice(draft.cursor))) return false;
    this.#asked = draft;
    this.#notYet = this.#options.after(untilFilesMs, () => this.#begin(engine, draft, true));
    return true;
  }

  #commands(engine: CompletionEngine, draft: Draft): boolean {
    const { offer, style } = this.#options;
    if (this.#suggestCommand !== undefined) {
      const menu = this.#suggestCommand(engine, draft, style);
      if (menu !== undefined) offer(menu);
      return menu !== undefined;
    }
    // If loading fails, the error is reported when Tab asks for completions.
    import("./complete.ts").then(
      (loaded) => offer((this.#suggestCommand = loaded.suggestCommand)(engine, draft, style)),
      () => {},
    );
    return true;
  }

  /** Returns whether there is something to complete. Offers the candidates once known, unless another lookup has started. */
  look(engine: CompletionEngine | undefined, draft: Draft): boolean {
    const before = draft.text.slice(0, draft.cursor);
    if (engine === undefined || !(commandForm.test(before) || mentionForm.test(before))) return false;
    this.#begin(engine, draft, false);
    return true;
  }

  #begin(engine: CompletionEngine, draft: Draft, isSuggested: boolean): void {
    this.#giveUp();
    this.#asked = draft;
    const stop = new AbortController();
    this.#looking = { stop, done: this.#look(engine, draft, stop.signal, isSuggested, this.#looking?.done) };
  }

  #giveUp(): void {
    this.#asked = undefined;
    this.#notYet();
    this.#looking?.stop.abort();
  }

  async #look(
    engine: CompletionEngine,
    draft: Draft,
    signal: AbortSignal,
    isSuggested: boolean,
    before: Promise<void> | undefined,
  ): Promise<void> {
    const { style, offer, notice } = this.#options;
    try {
      const { complete } = await import("./complete.ts");
      // A folder on a lost network may never answer: it blocks nothing, and at most one suggestion looks at it at a time.
      if (isSuggested) await untilAbort(this.#unfinished, signal);
      const work = complete(engine, draft, { style, isSuggested }, signal);
      this.#unfinished = Promise.allSettled([this.#unfinished, work]);
      const menu = await untilAbort(work, signal);
      if (!signal.aborted) offer(isSuggested && menu.isEmpty ? undefined : menu);
    } catch (error) {
      if (!signal.aborted && isSuggested) offer(undefined);
      else if (!signal.aborted) notice(`Nothing could be completed: ${sanitize(errorText(error))}`);
    }
    await before;
  }

  /** Turns pictures dropped onto the terminal into mentions, except in a `!` command, which needs their paths. */
  dropped(text: string, editor: Editor): void {
    if (text.length > longestDropped || !/\.\w{3,4}['"]?\s*$/u.test(text)) return;
    if (ownCommand(editor.text) !== undefined) return;
    const pasted = { text, from: editor.cursor - text.length };
    const mention = async (): Promise<void> => {
      const { mentionDropped } = await import("./dropped.ts");
      if (await mentionDropped(editor, pasted)) this.#options.changed();
    };
    // On failure the path stays as pasted. Nobody waits for this: the file may be in a folder that never answers.
    mention().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#giveUp();
    await this.#looking?.done;
  }
}
