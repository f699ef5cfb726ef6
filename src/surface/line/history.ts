/** Prompts that were sent, and the way back through them from what is being typed. */
import type { Editor } from "./editor.ts";

const most = 500;

export interface Draft {
  text: string;
  cursor: number;
}

export class PromptHistory {
  /** The oldest first, each once. */
  readonly #sent: string[] = [];
  /** Which of them is shown; undefined where it is the draft. */
  #at: number | undefined;
  #draft: Draft = { text: "", cursor: 0 };
  #earlier: (() => readonly string[]) | undefined;

  /** `earlier`: those of other sessions, the oldest first. Asked for once, when somebody goes back beyond this one's. */
  constructor(earlier?: () => readonly string[]) {
    this.#earlier = earlier;
  }

  add(text: string): void {
    this.#at = undefined;
    if (text.trim() === "") return;
    const before = this.#sent.indexOf(text);
    if (before !== -1) this.#sent.splice(before, 1);
    this.#sent.push(text);
    if (this.#sent.length > most) this.#sent.shift();
  }

  /** From what the editor shows to the prompt before or after it. */
  move(direction: "up" | "down", editor: Editor): void {
    const shown = { text: editor.text, cursor: editor.cursor };
    const found = direction === "up" ? this.older(shown) : this.newer(shown);
    if (found !== undefined) editor.set(found.text, found.cursor);
  }

  /** The prompt before the one that is shown. */
  older(shown: Draft): Draft | undefined {
    if ((this.#at ?? this.#sent.length) === 0) this.#recall();
    const at = (this.#at ?? this.#sent.length) - 1;
    const text = this.#sent[at];
    if (text === undefined) return undefined;
    this.#keep(shown);
    this.#at = at;
    return { text, cursor: text.length };
  }

  /** The prompt after it, the draft at last. */
  newer(shown: Draft): Draft | undefined {
    if (this.#at === undefined) return undefined;
    this.#keep(shown);
    const text = this.#sent[this.#at + 1];
    this.#at = text === undefined ? undefined : this.#at + 1;
    return text === undefined ? this.#draft : { text, cursor: text.length };
  }

  /** Before all that are there. Of the same text the newest counts. */
  #recall(): void {
    const earlier = this.#earlier?.() ?? [];
    this.#earlier = undefined;
    const known = new Set(this.#sent);
    const room = Math.max(0, most - this.#sent.length);
    const others = new Set(earlier.filter((text) => text.trim() !== "" && !known.has(text)).toReversed());
    const more = [...others].slice(0, room).toReversed();
    this.#sent.unshift(...more);
    if (this.#at !== undefined) this.#at += more.length;
  }

  /** A prompt of before that was changed is a draft, too. */
  #keep(shown: Draft): void {
    if (this.#at === undefined || shown.text !== this.#sent[this.#at]) this.#draft = shown;
  }

  /** What is shown is a draft from now on. */
  leave(): void {
    this.#at = undefined;
  }

  /** The next that holds the words, in either direction from the one at `from`; without it from the newest. */
  find(words: string, direction: "older" | "newer", from?: number): Found | undefined {
    // Large letters are meant where they are typed.
    const isExact = words !== words.toLowerCase();
    if (from === undefined) this.#recall();
    const step = direction === "older" ? -1 : 1;
    for (let at = from ?? this.#sent.length - 1; at >= 0 && at < this.#sent.length; at += step) {
      const text = this.#sent[at] ?? "";
      const cursor = (isExact ? text : text.toLowerCase()).lastIndexOf(words);
      if (cursor !== -1) return { text, cursor, at };
    }
    return undefined;
  }
}

export interface Found extends Draft {
  at: number;
}
