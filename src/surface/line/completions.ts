/** Tab at the prompt. What finds the candidates is loaded when it is first pressed; the prompt is edited on meanwhile. */
import { errorText } from "../../lib/error-text.ts";
import { sanitize } from "../../lib/sanitize.ts";
import { untilAbort } from "../../lib/until-abort.ts";
import type { Style } from "../show/style.ts";
import { commandForm, mentionForm, type CompletionEngine } from "./completion-forms.ts";
import type { Draft } from "./history.ts";
import type { CompletionMenu } from "./menu.ts";

export function isCompletable({ text, cursor }: Draft): boolean {
  const before = text.slice(0, cursor);
  return commandForm.test(before) || mentionForm.test(before);
}

export class Completions {
  readonly #style: Style;
  readonly #notice: (text: string) => void;
  #looking: { stop: AbortController; done: Promise<void> } | undefined;

  /** `notice`: what went wrong. */
  constructor(style: Style, notice: (text: string) => void) {
    this.#style = style;
    this.#notice = notice;
  }

  /** Calls back once it is known; not where another one was looked for since. */
  look(engine: CompletionEngine, draft: Draft, found: (menu: CompletionMenu) => void): void {
    this.#looking?.stop.abort();
    const stop = new AbortController();
    this.#looking = { stop, done: this.#look(engine, draft, stop.signal, found, this.#looking?.done) };
  }

  async #look(
    engine: CompletionEngine,
    draft: Draft,
    signal: AbortSignal,
    found: (menu: CompletionMenu) => void,
    before: Promise<void> | undefined,
  ): Promise<void> {
    try {
      const { complete } = await import("./complete.ts");
      // A folder that never answers, as over a network that is gone, is not waited for.
      const menu = await untilAbort(complete(engine, draft, this.#style, signal), signal);
      if (!signal.aborted) found(menu);
    } catch (error) {
      if (!signal.aborted) this.#notice(`Nothing could be completed: ${sanitize(errorText(error))}`);
    }
    await before;
  }

  async close(): Promise<void> {
    this.#looking?.stop.abort();
    await this.#looking?.done;
  }
}
