/** The text under the prompt until the next key: candidates to choose from, or a hint on what a key does. */
import type { Action } from "./bindings.ts";
import type { Editor } from "./editor.ts";
import type { CompletionMenu } from "./completion-menu.ts";
import type { LinesBelow } from "./prompt-area.ts";
import { truncateToWidth } from "./width.ts";

const hints = {
  escapeAgain: "(press Esc again to clear the prompt)",
  clearFirst: "(clear the line first: a command is not joined with other text)",
  goBack: "(press Esc again to go back to an earlier message)",
  isSending: "(what is queued is being sent already)",
  whatTabDoes: "(Tab completes /commands and @files)",
} as const;
export type Hint = keyof typeof hints;

export class UnderPrompt {
  #hint: Hint | undefined;
  #menu: CompletionMenu | undefined;
  /** A menu kept until the candidates for the next character are known, because removing and redrawing rows flickers. */
  #oldMenu: CompletionMenu | undefined;
  #hasTaken = false;
  readonly #otherwise: LinesBelow;
  readonly #notify: ((line: string) => void) | undefined;

  /** `otherwise` returns the rows to show if there is nothing else. `notify` writes hints elsewhere. */
  constructor(otherwise: LinesBelow = () => [], notify?: (line: string) => void) {
    this.#otherwise = otherwise;
    this.#notify = notify;
  }

  get below(): LinesBelow | undefined {
    const [hint, menu] = [this.#hint, this.#menu ?? this.#oldMenu];
    // A single candidate is in the prompt already, so it needs no row.
    if (menu !== undefined && menu.hasRows) return (rows, columns) => menu.rows(rows, columns);
    return hint === undefined ? this.#otherwise : (_rows, columns) => [truncateToWidth(hints[hint], columns)];
  }

  hint(hint: Hint): void {
    this.#hint = hint;
    this.#notify?.(hints[hint]);
  }

  /** Returns whether a key was pressed twice. The first time shows a hint. `shownHint` is the hint shown before this key. */
  isSecondPress(shownHint: Hint | undefined, hint: Hint): boolean {
    if (shownHint !== hint) this.hint(hint);
    return shownHint === hint;
  }

  /** Removes the hint and returns it. */
  takeHint(): Hint | undefined {
    const hint = this.#hint;
    this.#hint = undefined;
    return hint;
  }

  clear(): void {
    this.#hint = undefined;
    this.#menu = undefined;
    this.#oldMenu = undefined;
  }

  /** Removes the suggestions for an older text of the prompt. */
  dropOldMenu(): void {
    this.#oldMenu = undefined;
  }

  /** Shows the menu. Returns false if the prompt has changed since it was requested. */
  offer(menu: CompletionMenu | undefined, editor: Editor): boolean {
    if (menu === undefined) {
      this.dropOldMenu();
      return true;
    }
    const { text, cursor } = menu.originalDraft;
    if (editor.text !== text || editor.cursor !== cursor) return false;
    this.dropOldMenu();
    this.#menu = menu;
    const { completedDraft } = menu;
    if (completedDraft.text !== text || completedDraft.cursor !== cursor)
      editor.set(completedDraft.text, completedDraft.cursor);
    return true;
  }

  /** True if the last key put a candidate at the prompt, so that completions after it should show. */
  get hasTaken(): boolean {
    return this.#hasTaken;
  }

  /** Returns whether the menu handled the key. `isEdit`: the key types or deletes text. */
  press(action: Action | undefined, isEdit: boolean, editor: Editor): boolean {
    const menu = this.#menu;
    this.#hasTaken = false;
    const isSeen = this.#oldMenu?.isOpen === true;
    // The key is meant for the visible candidates, which are about to change, and not for the prompt history.
    if (isSeen && (action === "up" || action === "down")) return true;
    if (!isEdit) this.#oldMenu = undefined;
    if (isSeen && action === "escape") return true;
    if (menu === undefined) return false;
    const { isSuggested } = menu;
    const did = menu.press(action);
    this.#hasTaken = did === "over" && action === "send";
    if (did === "passed" && isSuggested && isEdit) this.#oldMenu = menu;
    if (did !== "chosen") this.#menu = undefined;
    if (did !== "passed") editor.set(menu.completedDraft.text, menu.completedDraft.cursor);
    return did !== "passed";
  }
}
