/**
 * Completions at the prompt, on Tab and while typing. The code that finds them is loaded at first use, while the prompt can be
 * edited.
 */
import { errorText } from "../../lib/error-text.ts";
import { sanitize } from "../../lib/sanitize.ts";
import { rejectOnAbort } from "../../lib/reject-on-abort.ts";
import type { Style } from "../show/style.ts";
import type { complete, suggestCommand } from "./complete.ts";
import { commandPattern, mentionPattern, type CompletionEngine } from "./completion-patterns.ts";
import type { Editor } from "./editor.ts";
import type { Draft } from "./history.ts";
import type { CompletionMenu } from "./completion-menu.ts";
import { shellCommandIn } from "./shell-command.ts";

/** The delay before files are searched, because the next character typed would make the search useless. */
const fileSearchDelayMs = 120;
/** The most characters of dropped file paths. */
const maxDroppedLength = 4000;

export interface CompletionsOptions {
  style: Style;
  /** Receives the candidates, or undefined if there is nothing to suggest. */
  offer: (menu: CompletionMenu | undefined) => void;
  /** The text at the prompt was changed. */
  onChange: () => void;
  /** Reports an error. */
  notice: (text: string) => void;
  /** Calls `then` after so many milliseconds; returns a function that cancels it. */
  after: (milliseconds: number, then: () => void) => () => void;
}

export class Completions {
  readonly #options: CompletionsOptions;
  readonly #load: () => Promise<{ complete: typeof complete; suggestCommand: typeof suggestCommand }>;
  #suggestCommand: typeof suggestCommand | undefined;
  #hasFailedToLoad = false;
  /** The draft that completions are or will be looked up for. */
  #lookupDraft: Draft | undefined;
  #cancelDelay = (): void => {};
  #lookup: { stop: AbortController; done: Promise<void> } | undefined;
  /** All lookups that were started, given up or not. */
  #unfinished: Promise<unknown> = Promise.resolve();

  constructor(options: CompletionsOptions, load = () => import("./complete.ts")) {
    this.#options = options;
    this.#load = load;
  }

  /**
   * Offers completions for the word being typed: for commands at once, except the first time. Gives up a lookup for another draft.
   * Returns false if nothing will be offered.
   */
  suggest(engine: CompletionEngine | undefined, draft: Draft | undefined, isTyped: boolean): boolean {
    const previous = this.#lookupDraft;
    if (isTyped || draft?.text !== previous?.text || draft?.cursor !== previous?.cursor) this.#cancelLookup();
    if (engine === undefined || draft === undefined || !isTyped) return false;
    const before = draft.text.slice(0, draft.cursor);
    const isAtEnd = draft.cursor === draft.text.length;
    if (isAtEnd && commandPattern.test(before)) return this.#suggestCommands(engine, draft);
    if (!mentionPattern.test(before) || !/^(?:\s|$)/u.test(draft.text.slice(draft.cursor))) return false;
    this.#lookupDraft = draft;
    this.#cancelDelay = this.#options.after(fileSearchDelayMs, () => this.#startLookup(engine, draft, true));
    return true;
  }

  #suggestCommands(engine: CompletionEngine, draft: Draft): boolean {
    const { offer, style } = this.#options;
    if (this.#suggestCommand !== undefined) {
      const menu = this.#suggestCommand(engine, draft, style);
      if (menu !== undefined) offer(menu);
      return menu !== undefined;
    }
    this.#load().then(
      (loaded) => offer((this.#suggestCommand = loaded.suggestCommand)(engine, draft, style)),
      (error: unknown) => {
        offer(undefined);
        this.#reportFailedLoad(error);
      },
    );
    return true;
  }

  /** Reports once what would fail again at each typed character. */
  #reportFailedLoad(error: unknown): void {
    if (!this.#hasFailedToLoad) this.#options.notice(failureText(error));
    this.#hasFailedToLoad = true;
  }

  /** Returns whether there is something to complete. Offers the candidates once known, unless another lookup has started. */
  completeNow(engine: CompletionEngine | undefined, draft: Draft): boolean {
    const before = draft.text.slice(0, draft.cursor);
    if (engine === undefined || !(commandPattern.test(before) || mentionPattern.test(before))) return false;
    this.#startLookup(engine, draft, false);
    return true;
  }

  #startLookup(engine: CompletionEngine, draft: Draft, isSuggested: boolean): void {
    this.#cancelLookup();
    this.#lookupDraft = draft;
    const stop = new AbortController();
    this.#lookup = { stop, done: this.#runLookup(engine, draft, stop.signal, isSuggested, this.#lookup?.done) };
  }

  #cancelLookup(): void {
    this.#lookupDraft = undefined;
    this.#cancelDelay();
    this.#lookup?.stop.abort();
  }

  async #runLookup(
    engine: CompletionEngine,
    draft: Draft,
    signal: AbortSignal,
    isSuggested: boolean,
    before: Promise<void> | undefined,
  ): Promise<void> {
    const { style, offer, notice } = this.#options;
    try {
      const loaded = await this.#load().catch((error: unknown) => {
        if (isSuggested) this.#reportFailedLoad(error);
        throw error;
      });
      // A folder on a lost network may never answer: it blocks nothing, and at most one suggestion looks at it at a time.
      if (isSuggested) await rejectOnAbort(this.#unfinished, signal);
      const work = loaded.complete(engine, draft, { style, isSuggested }, signal);
      this.#unfinished = Promise.allSettled([this.#unfinished, work]);
      const menu = await rejectOnAbort(work, signal);
      if (!signal.aborted) offer(isSuggested && menu.isEmpty ? undefined : menu);
    } catch (error) {
      if (!signal.aborted && isSuggested) offer(undefined);
      else if (!signal.aborted) notice(failureText(error));
    }
    await before;
  }

  /** Turns pictures dropped onto the terminal into mentions, except in a `!` command, which needs their paths. */
  mentionPictures(text: string, editor: Editor): void {
    if (text.length > maxDroppedLength || !/\.\w{3,4}['"]?\s*$/u.test(text)) return;
    if (shellCommandIn(editor.text) !== undefined) return;
    const pasted = { text, from: editor.cursor - text.length };
    const mention = async (): Promise<void> => {
      const { mentionDroppedPictures } = await import("./dropped-pictures.ts");
      if (await mentionDroppedPictures(editor, pasted)) this.#options.onChange();
    };
    // On failure the path stays as pasted. Nobody waits for this: the file may be in a folder that never answers.
    mention().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#cancelLookup();
    await this.#lookup?.done;
  }
}

function failureText(error: unknown): string {
  return `Nothing could be completed: ${sanitize(errorText(error))}`;
}
