/** Tab at the prompt, and a slash at its beginning. What finds the candidates is loaded when it is first pressed; the prompt is edited on meanwhile. */
import { errorText } from "../../lib/error-text.ts";
import { sanitize } from "../../lib/sanitize.ts";
import { untilAbort } from "../../lib/until-abort.ts";
import type { Style } from "../show/style.ts";
import { commandForm, mentionForm, type CompletionEngine } from "./completion-forms.ts";
import type { Draft } from "./history.ts";
import type { CompletionMenu } from "./menu.ts";

type Offer = (menu: CompletionMenu) => void;

export class Completions {
  readonly #style: Style;
  readonly #offer: Offer;
  readonly #notice: (text: string) => void;
  #suggestion: typeof import("./complete.ts").suggest | undefined;
  #looking: { stop: AbortController; done: Promise<void> } | undefined;

  /** `offer` is told what the prompt may become. `notice`: what went wrong. */
  constructor(style: Style, offer: Offer, notice: (text: string) => void) {
    this.#style = style;
    this.#offer = offer;
    this.#notice = notice;
  }

  /** Where a command is being typed, offers those that begin so: at once but for the first time. */
  suggest(engine: CompletionEngine | undefined, draft: Draft): void {
    if (engine === undefined || draft.cursor < draft.text.length || !commandForm.test(draft.text)) return;
    if (this.#suggestion !== undefined) return this.#suggest(this.#suggestion(engine, draft, this.#style));
    // What cannot be loaded is told where Tab asks for it.
    import("./complete.ts").then(
      ({ suggest }) => this.#suggest((this.#suggestion = suggest)(engine, draft, this.#style)),
      () => {},
    );
  }

  #suggest(menu: CompletionMenu | undefined): void {
    if (menu !== undefined) this.#offer(menu);
  }

  /** Whether there is something to complete. Offers it once it is known, and where no other is looked for by then. */
  look(engine: CompletionEngine | undefined, draft: Draft): boolean {
    const before = draft.text.slice(0, draft.cursor);
    if (engine === undefined || !(commandForm.test(before) || mentionForm.test(before))) return false;
    this.#looking?.stop.abort();
    const stop = new AbortController();
    this.#looking = { stop, done: this.#look(engine, draft, stop.signal, this.#looking?.done) };
    return true;
  }

  async #look(
    engine: CompletionEngine,
    draft: Draft,
    signal: AbortSignal,
    before: Promise<void> | undefined,
  ): Promise<void> {
    try {
      const { complete } = await import("./complete.ts");
      // A folder that never answers, as over a network that is gone, is not waited for.
      const menu = await untilAbort(complete(engine, draft, this.#style, signal), signal);
      if (!signal.aborted) this.#offer(menu);
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
