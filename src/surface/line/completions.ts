/** What is typed at the prompt may become: as Tab asks for it, and as it is typed. What finds it is loaded when it is first asked for; the prompt is edited on meanwhile. */
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

/** Who types on is not to wait for a search that the next character makes useless. */
const untilFilesMs = 120;
/** Of the paths of files, in characters. */
const longestDropped = 4000;

export interface CompletionsOptions {
  style: Style;
  /** What the prompt may become; undefined where nothing that was to be suggested is there. */
  offer: (menu: CompletionMenu | undefined) => void;
  /** Something else stands at the prompt. */
  changed: () => void;
  /** What went wrong. */
  notice: (text: string) => void;
  /** Calls back after so many milliseconds; returns the way not to. */
  after: (milliseconds: number, then: () => void) => () => void;
}

export class Completions {
  readonly #options: CompletionsOptions;
  #suggestCommand: typeof suggestCommand | undefined;
  /** What something is or is to be looked for. */
  #asked: Draft | undefined;
  #notYet = (): void => {};
  #looking: { stop: AbortController; done: Promise<void> } | undefined;
  /** What was begun, given up or not. */
  #unfinished: Promise<unknown> = Promise.resolve();

  constructor(options: CompletionsOptions) {
    this.#options = options;
  }

  /** Offers what a word that is being typed may become: of commands at once, but for the first time. What is looked for for another prompt is given up. False where nothing will be offered. */
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
    // What cannot be loaded is told where Tab asks for it.
    import("./complete.ts").then(
      (loaded) => offer((this.#suggestCommand = loaded.suggestCommand)(engine, draft, style)),
      () => {},
    );
    return true;
  }

  /** Whether there is something to complete. Offers it once it is known, and where no other is looked for by then. */
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
      // A folder that never answers, as over a network that is gone, is not waited for; nor is it looked at for each pause.
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

  /** Pictures that are dropped onto the terminal become mentions. A command of the person's own wants their paths. */
  dropped(text: string, editor: Editor): void {
    if (text.length > longestDropped || !/\.\w{3,4}['"]?\s*$/u.test(text)) return;
    if (ownCommand(editor.text) !== undefined) return;
    const pasted = { text, from: editor.cursor - text.length };
    const mention = async (): Promise<void> => {
      const { mentionDropped } = await import("./dropped.ts");
      if (await mentionDropped(editor, pasted)) this.#options.changed();
    };
    // Without it the path stands as it was pasted. Nobody waits for it: the file may lie in a folder that never answers.
    mention().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#giveUp();
    await this.#looking?.done;
  }
}
