/** The search in earlier prompts, like readline's Ctrl+R: each character narrows it, and the key again finds the next match. */
import type { Action } from "./bindings.ts";
import type { Editor } from "./editor.ts";
import type { HistoryMatch, PromptHistory } from "./history.ts";
import type { Key } from "./keys.ts";

export class HistorySearch {
  readonly #history: PromptHistory;
  readonly #lastWords: string;
  #words = "";
  #match: HistoryMatch | undefined;
  #hasFailed = false;

  /** `lastWords` are the words of the previous search. Pressing the key again searches for them. */
  constructor(history: PromptHistory, lastWords: string) {
    this.#history = history;
    this.#lastWords = lastWords;
  }

  get words(): string {
    return this.#words === "" ? this.#lastWords : this.#words;
  }

  /** The prompt that was found, with the cursor at the match. */
  get foundPrompt(): { text: string; cursor: number } {
    return this.#match ?? { text: "", cursor: 0 };
  }

  get prompt(): string {
    return `${this.#hasFailed ? "(failed reverse-i-search)" : "(reverse-i-search)"}\`${this.#words}': `;
  }

  /** Handles a key: it continues the search, cancels it, takes the match, or has no effect on it. */
  press(key: Key, action: Action | undefined): "stays" | "givenUp" | "taken" | "passed" {
    if (key.type !== "press") this.type(key.text);
    else if (action === "searchOlder") this.next("older");
    else if (action === "searchNewer") this.next("newer");
    else if (action === "eraseLeft") this.erase();
    else if (action === "giveUp" || action === "escape" || action === "interrupt") return "givenUp";
    else return action === "suspend" || action === "clearScreen" ? "passed" : "taken";
    return "stays";
  }

  /** Adds words; of a paste only its first line. */
  type(text: string): void {
    this.#searchFor(this.#words + (text.split("\n", 1)[0] ?? ""));
  }

  erase(): void {
    this.#searchFor(Array.from(this.#words).slice(0, -1).join(""));
  }

  next(direction: "older" | "newer"): void {
    if (this.#words === "") return this.#searchFor(this.#lastWords);
    if (this.#match === undefined) return;
    const from = this.#match.at + (direction === "older" ? -1 : 1);
    this.#setMatch(this.#history.find(this.#words, direction, from));
  }

  #searchFor(words: string): void {
    const isNarrower = words.startsWith(this.#words);
    const from = isNarrower ? this.#match?.at : undefined;
    this.#words = words;
    if (words === "") {
      this.#match = undefined;
      this.#hasFailed = false;
    } else this.#setMatch(this.#history.find(words, "older", from));
  }

  /** If nothing is found, the previous match stays. */
  #setMatch(match: HistoryMatch | undefined): void {
    this.#hasFailed = match === undefined;
    this.#match = match ?? this.#match;
  }
}

/** The search at the prompt. It remembers the words of the previous one. */
export class PromptSearch {
  readonly #history: PromptHistory;
  #search: HistorySearch | undefined;
  #lastWords = "";

  constructor(history: PromptHistory) {
    this.#history = history;
  }

  /** The text shown in place of the prompt; undefined while there is no search. */
  get shownPrompt(): { prompt: string; text: string; cursor: number } | undefined {
    return this.#search === undefined ? undefined : { prompt: this.#search.prompt, ...this.#search.foundPrompt };
  }

  begin(): void {
    this.#search = new HistorySearch(this.#history, this.#lastWords);
  }

  giveUp(): void {
    this.#lastWords = this.#search?.words ?? this.#lastWords;
    this.#search = undefined;
  }

  /** Returns whether the search handled the key. Any other key ends the search with the match. */
  press(key: Key, action: Action | undefined, editor: Editor): boolean {
    const search = this.#search;
    if (search === undefined) return false;
    const did = search.press(key, action);
    if (did === "stays" || did === "passed") return did === "stays";
    this.giveUp();
    const { text, cursor } = search.foundPrompt;
    if (did === "givenUp" || text === "") return true;
    this.#history.stopBrowsing();
    editor.set(text, cursor);
    // Tab only takes the match.
    return action === undefined || action === "tab";
  }
}
