/** The completion menu under the prompt: a single candidate is taken at once; of several, their common part, and keys choose. */
import type { Action } from "./bindings.ts";
import type { Style } from "../show/style.ts";
import type { Draft } from "./history.ts";
import { displayWidth, truncateToWidth } from "./width.ts";

export interface Candidate {
  /** The text that replaces the word, with a blank after a complete one. */
  text: string;
  /** The cursor's place within it. */
  cursor: number;
  /** For people: one line, safe to show. */
  label: string;
  detail: string;
}

export interface CompletedWord {
  /** The range of the word in the prompt. */
  from: number;
  to: number;
  /** The word without its marks. */
  typedText: string;
  /** The common beginning of all candidates. */
  common: string;
  /** Returns the text that replaces the word for a part of a candidate. */
  replaceWith: (text: string) => { text: string; cursor: number };
}

export interface MenuOptions {
  draft: Draft;
  word: CompletedWord;
  candidates: readonly Candidate[];
  /** Entries that are only shown, such as the arguments of a complete command. */
  infoEntries?: readonly Candidate[];
  /** The menu was not requested: the typed text stays as it is until a key takes a candidate. */
  isSuggested?: boolean;
  style: Style;
}

const maxRows = 8;
const maxLabelWidth = 32;

export class CompletionMenu {
  readonly #options: MenuOptions;
  #base: Draft;
  #isSuggested: boolean;
  #chosenIndex = -1;
  #top = 0;

  constructor(options: MenuOptions) {
    this.#options = options;
    this.#isSuggested = options.isSuggested === true;
    this.#base = this.#isSuggested ? options.draft : this.#completeAtOnce();
  }

  /** The draft that the menu was made for. */
  get originalDraft(): Draft {
    return this.#options.draft;
  }

  /** True if there is a choice. */
  get isOpen(): boolean {
    return this.#options.candidates.length > 1;
  }

  /** True if there is something to show under the prompt. */
  get hasRows(): boolean {
    const { candidates, infoEntries = [] } = this.#options;
    return candidates.length !== 1 || infoEntries.length > 0 || this.#isSuggested;
  }

  /** True if the menu was not requested and no key has taken anything from it. */
  get isSuggested(): boolean {
    return this.#isSuggested;
  }

  get isEmpty(): boolean {
    const { candidates, infoEntries = [] } = this.#options;
    return candidates.length === 0 && infoEntries.length === 0;
  }

  /** The prompt with the chosen candidate, or else with the common part of all candidates. */
  get completedDraft(): Draft {
    const candidate = this.#options.candidates[this.#chosenIndex];
    return candidate === undefined ? this.#base : this.#insertIntoDraft(candidate);
  }

  /** Handles a key. A key that does not belong to the menu closes it and does its usual action. */
  press(action: Action | undefined): "chosen" | "over" | "passed" {
    if (this.#isSuggested && action === "tab") return this.#take();
    if (!this.isOpen || (this.#isSuggested && (action === "tabBack" || action === "giveUp"))) return "passed";
    switch (action) {
      case "tab":
      case "down":
        return this.#move(1);
      case "tabBack":
      case "up":
        return this.#move(-1);
      case "send":
        return this.#chosenIndex < 0 ? "passed" : "over";
      case "escape":
      case "giveUp":
        this.#chosenIndex = -1;
        return "over";
      default:
        return "passed";
    }
  }

  /** Treats the menu as requested. If that adds nothing to the typed text, the first candidate is chosen. */
  #take(): "chosen" | "passed" {
    this.#isSuggested = false;
    this.#base = this.#completeAtOnce();
    if (this.#base.text !== this.#options.draft.text) return "chosen";
    return this.isOpen ? this.#move(1) : "passed";
  }

  #move(step: 1 | -1): "chosen" {
    this.#isSuggested = false;
    const { length } = this.#options.candidates;
    this.#chosenIndex = this.#chosenIndex < 0 && step < 0 ? length - 1 : (this.#chosenIndex + step + length) % length;
    return "chosen";
  }

  /** Returns the lines under the prompt. */
  rows(limit: number, columns: number): string[] {
    const { candidates, infoEntries = [], style } = this.#options;
    if (this.isEmpty) return [style.dim(truncateToWidth("(no matches)", columns))];
    if (!this.isOpen) {
      const alone = infoEntries.length === 0 && this.#isSuggested ? candidates : infoEntries;
      return alone.map((each) => this.#row(each, 0, columns));
    }
    const room = Math.min(limit, maxRows);
    const isCut = candidates.length > room;
    const count = isCut ? Math.max(1, room - 1) : candidates.length;
    const at = Math.max(0, this.#chosenIndex);
    this.#top = Math.max(Math.min(this.#top, at, candidates.length - count), at - count + 1);
    const shown = candidates.slice(this.#top, this.#top + count);
    const width = Math.min(maxLabelWidth, Math.max(...shown.map(({ label }) => displayWidth(label))));
    const rows = shown.map((each) => this.#row(each, width, columns));
    const more = candidates.length - count;
    if (isCut && room > 1) rows.push(style.dim(truncateToWidth(`  and ${more} more`, columns)));
    return rows;
  }

  /** The same with line ends, for a terminal that cannot show lines under its prompt. */
  get lines(): string {
    return this.rows(maxRows, 80).reduce((lines, row) => `${lines}${row}\n`, "");
  }

  /** Returns the draft with what is completed at once. */
  #completeAtOnce(): Draft {
    const { draft, word, candidates } = this.#options;
    const [only] = candidates;
    if (only !== undefined && candidates.length === 1) return this.#insertIntoDraft(only);
    const extendsTyped = word.common.toLowerCase().startsWith(word.typedText.toLowerCase());
    return extendsTyped && word.common.length > word.typedText.length
      ? this.#insertIntoDraft(word.replaceWith(word.common))
      : draft;
  }

  #insertIntoDraft({ text, cursor }: { text: string; cursor: number }): Draft {
    const { draft, word } = this.#options;
    const after = draft.text.slice(word.to);
    // Use a blank that is there already.
    const own = /^\s/u.test(after) && text.endsWith(" ") ? text.slice(0, -1) : text;
    const step = own === text ? cursor : cursor - 1;
    return { text: draft.text.slice(0, word.from) + own + after, cursor: word.from + step };
  }

  #row(candidate: Candidate, width: number, columns: number): string {
    const { style, candidates } = this.#options;
    const isChosen = candidates[this.#chosenIndex] === candidate;
    const mark = isChosen && this.isOpen ? "› " : "  ";
    const room = columns - displayWidth(mark);
    const label = truncateToWidth(candidate.label, room);
    const blanks = " ".repeat(Math.max(0, width - displayWidth(label)) + 2);
    const left = room - displayWidth(label) - blanks.length;
    const detail =
      candidate.detail === "" || left < 8 ? "" : blanks + style.dim(truncateToWidth(candidate.detail, left));
    return mark + (isChosen && this.isOpen ? style.bold(label) : label) + detail;
  }
}
