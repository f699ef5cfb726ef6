/** What stands under the prompt until the next key: candidates to choose from, or a word on what a key does. */
import type { Action } from "./bindings.ts";
import type { Editor } from "./editor.ts";
import type { CompletionMenu } from "./menu.ts";
import type { Below } from "./prompt-area.ts";
import { fitted } from "./width.ts";

const hints = {
  escapeAgain: "(Esc again takes it away)",
  goBack: "(Esc again goes back to a message)",
  whatTabDoes: "(Tab completes /commands and @files)",
} as const;
export type Hint = keyof typeof hints;

export class UnderPrompt {
  #hint: Hint | undefined;
  #menu: CompletionMenu | undefined;
  readonly #else: Below;

  /** `otherwise`: what stands there where nothing else does. */
  constructor(otherwise: Below = () => []) {
    this.#else = otherwise;
  }

  get below(): Below | undefined {
    const [hint, menu] = [this.#hint, this.#menu];
    // Of an only candidate, which is in the prompt by now, there is nothing to say.
    if (menu !== undefined && menu.hasRows) return (rows, columns) => menu.rows(rows, columns);
    return hint === undefined ? this.#else : (_rows, columns) => [fitted(hints[hint], columns)];
  }

  hint(hint: Hint): void {
    this.#hint = hint;
  }

  /** Whether a key that is to be pressed twice was; the first time a hint says what the second does. `taken`: what stood there before it. */
  isAgain(taken: Hint | undefined, hint: Hint): boolean {
    if (taken !== hint) this.#hint = hint;
    return taken === hint;
  }

  /** Takes the hint away, and answers which it was. */
  takeHint(): Hint | undefined {
    const hint = this.#hint;
    this.#hint = undefined;
    return hint;
  }

  clear(): void {
    this.#hint = undefined;
    this.#menu = undefined;
  }

  /** False where the prompt is another than what it was looked for. */
  offer(menu: CompletionMenu, editor: Editor): boolean {
    const { text, cursor } = menu.asked;
    if (editor.text !== text || editor.cursor !== cursor) return false;
    this.#menu = menu;
    const { typed } = menu;
    if (typed.text !== text || typed.cursor !== cursor) editor.set(typed.text, typed.cursor);
    return true;
  }

  /** Whether the key was for the candidates. */
  press(action: Action | undefined, editor: Editor): boolean {
    const menu = this.#menu;
    if (menu === undefined) return false;
    const did = menu.press(action);
    if (did !== "chosen") this.#menu = undefined;
    if (did !== "passed") editor.set(menu.typed.text, menu.typed.cursor);
    return did !== "passed";
  }
}
