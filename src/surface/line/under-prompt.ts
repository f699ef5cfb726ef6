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
  /** Stands there until it is known what the next character leaves of it: rows that go and come back flicker. */
  #fading: CompletionMenu | undefined;
  #hasTaken = false;
  readonly #else: Below;
  readonly #tell: ((line: string) => void) | undefined;

  /** `otherwise`: what stands there where nothing else does. `tell`: says elsewhere what a key does. */
  constructor(otherwise: Below = () => [], tell?: (line: string) => void) {
    this.#else = otherwise;
    this.#tell = tell;
  }

  get below(): Below | undefined {
    const [hint, menu] = [this.#hint, this.#menu ?? this.#fading];
    // Of an only candidate, which is in the prompt by now, there is nothing to say.
    if (menu !== undefined && menu.hasRows) return (rows, columns) => menu.rows(rows, columns);
    return hint === undefined ? this.#else : (_rows, columns) => [fitted(hints[hint], columns)];
  }

  hint(hint: Hint): void {
    this.#hint = hint;
    this.#tell?.(hints[hint]);
  }

  /** Whether a key that is to be pressed twice was; the first time a hint says what the second does. `taken`: what stood there before it. */
  isAgain(taken: Hint | undefined, hint: Hint): boolean {
    if (taken !== hint) this.hint(hint);
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
    this.#fading = undefined;
  }

  /** What was suggested for what stood at the prompt is no more to be seen. */
  fade(): void {
    this.#fading = undefined;
  }

  /** False where the prompt is another than what it was looked for. */
  offer(menu: CompletionMenu | undefined, editor: Editor): boolean {
    if (menu === undefined) {
      this.fade();
      return true;
    }
    const { text, cursor } = menu.asked;
    if (editor.text !== text || editor.cursor !== cursor) return false;
    this.fade();
    this.#menu = menu;
    const { typed } = menu;
    if (typed.text !== text || typed.cursor !== cursor) editor.set(typed.text, typed.cursor);
    return true;
  }

  /** The last key has put a candidate at the prompt: what may follow it is to be seen. */
  get hasTaken(): boolean {
    return this.#hasTaken;
  }

  /** Whether the key was for the candidates. `isEdit`: it types, or takes away. */
  press(action: Action | undefined, isEdit: boolean, editor: Editor): boolean {
    const menu = this.#menu;
    this.#hasTaken = false;
    const isSeen = this.#fading?.isOpen === true;
    // It chooses of what is seen there, which is about to be others: a prompt of before is not what is meant.
    if (isSeen && (action === "up" || action === "down")) return true;
    if (!isEdit) this.#fading = undefined;
    if (isSeen && action === "escape") return true;
    if (menu === undefined) return false;
    const { isSuggested } = menu;
    const did = menu.press(action);
    this.#hasTaken = did === "over" && action === "send";
    if (did === "passed" && isSuggested && isEdit) this.#fading = menu;
    if (did !== "chosen") this.#menu = undefined;
    if (did !== "passed") editor.set(menu.typed.text, menu.typed.cursor);
    return did !== "passed";
  }
}
