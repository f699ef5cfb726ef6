/** The history of sent prompts, and moving through it from the current draft. */
import type { Editor } from "./editor.ts";

const maxPrompts = 500;

export interface Draft {
  text: string;
  cursor: number;
}

export class PromptHistory {
  /** Prompts, the oldest first, each once. */
  readonly #prompts: string[] = [];
  /** The index of the prompt that is shown; undefined if it is the draft. */
  #at: number | undefined;
  #draft: Draft = { text: "", cursor: 0 };
  #earlier: (() => readonly string[]) | undefined;

  /** `earlier` returns prompts of other sessions, the oldest first. Called once, when somebody goes back beyond this session's. */
  constructor(earlier?: () => readonly string[]) {
    this.#earlier = earlier;
  }

  /** Ends the moving through the history. */
  add(text: string): void {
    this.#at = undefined;
    this.#push(text);
  }

  /** Adds a text typed elsewhere. Whoever shows an earlier prompt can still go back to the draft. */
  addAside(text: string): void {
    const shown = this.#at === undefined ? undefined : this.#prompts[this.#at];
    this.#push(text);
    const at = shown === undefined ? -1 : this.#prompts.indexOf(shown);
    this.#at = at === -1 ? undefined : at;
  }

  #push(text: string): void {
    if (text.trim() === "") return;
    const before = this.#prompts.indexOf(text);
    if (before !== -1) this.#prompts.splice(before, 1);
    this.#prompts.push(text);
    if (this.#prompts.length > maxPrompts) this.#prompts.shift();
  }

  /** Moves the editor to the prompt before or after the one it shows. */
  move(direction: "up" | "down", editor: Editor): void {
    const current = { text: editor.text, cursor: editor.cursor };
    const found = direction === "up" ? this.older(current) : this.newer(current);
    if (found !== undefined) editor.set(found.text, found.cursor);
  }

  /** Returns the prompt before the one that is shown. */
  older(current: Draft): Draft | undefined {
    // A prompt that was taken back is also the newest one. The key would seem to do nothing.
    const isNewest = this.#at === undefined && this.#prompts.at(-1) === current.text;
    const from = (): number => this.#at ?? this.#prompts.length - (isNewest ? 1 : 0);
    if (from() === 0) this.#loadEarlier();
    const at = from() - 1;
    const text = this.#prompts[at];
    if (text === undefined) return undefined;
    this.#keepDraft(current);
    this.#at = at;
    return { text, cursor: text.length };
  }

  /** Returns the prompt after it, and finally the draft. */
  newer(current: Draft): Draft | undefined {
    if (this.#at === undefined) return undefined;
    this.#keepDraft(current);
    const text = this.#prompts[this.#at + 1];
    this.#at = text === undefined ? undefined : this.#at + 1;
    return text === undefined ? this.#draft : { text, cursor: text.length };
  }

  /** Adds the earlier prompts before all others. If a text occurs several times, the newest counts. */
  #loadEarlier(): void {
    const earlier = this.#earlier?.() ?? [];
    this.#earlier = undefined;
    const known = new Set(this.#prompts);
    const room = Math.max(0, maxPrompts - this.#prompts.length);
    const others = new Set(earlier.filter((text) => text.trim() !== "" && !known.has(text)).toReversed());
    const more = [...others].slice(0, room).toReversed();
    this.#prompts.unshift(...more);
    if (this.#at !== undefined) this.#at += more.length;
  }

  /** Keeps the shown text as the draft if it is the draft or an earlier prompt that was edited. */
  #keepDraft(current: Draft): void {
    if (this.#at === undefined || current.text !== this.#prompts[this.#at]) this.#draft = current;
  }

  /** Makes the shown text the draft. */
  stopBrowsing(): void {
    this.#at = undefined;
  }

  /** Finds the next prompt that contains the words, from index `from` in either direction; by default from the newest. */
  find(words: string, direction: "older" | "newer", from?: number): HistoryMatch | undefined {
    // A capital letter makes the search case-sensitive.
    const isExact = words !== words.toLowerCase();
    if (from === undefined) this.#loadEarlier();
    const step = direction === "older" ? -1 : 1;
    for (let at = from ?? this.#prompts.length - 1; at >= 0 && at < this.#prompts.length; at += step) {
      const text = this.#prompts[at] ?? "";
      const cursor = (isExact ? text : text.toLowerCase()).lastIndexOf(words);
      if (cursor !== -1) return { text, cursor, at };
    }
    return undefined;
  }
}

export interface HistoryMatch extends Draft {
  at: number;
}
