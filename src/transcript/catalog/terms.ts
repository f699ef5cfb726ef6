/** Search terms: words and "phrases", each of which must occur somewhere, in any case. */

const maxTerms = 20;
const maxTermLength = 200;

/** Normalises both the searched text and the search terms. */
export function foldText(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Returns the folded terms; none for a blank query. */
export function parseTerms(query: string): string[] {
  const found = [...query.matchAll(/"([^"]+)"?|([^\s"]+)/gu)].map(([, phrase, word]) =>
    foldText((phrase ?? word ?? "").replaceAll(textSeparator, " ").trim()),
  );
  const terms = found.filter((term) => term !== "").map((term) => term.slice(0, maxTermLength));
  return [...new Set(terms)].slice(0, maxTerms);
}

/** Separates the texts within one row: no term contains it. */
export const textSeparator = "\u0001";

const snippetLength = 160;

/** Returns one line of `text` around `term`, which is folded; the beginning of the text if the term is not found in this form. */
function makeSnippet(source: string, term: string): string {
  const text = source.normalize("NFC");
  const at = Math.max(0, text.toLowerCase().indexOf(term));
  const from = Math.max(0, at - Math.floor((snippetLength - Math.min(term.length, snippetLength)) / 2));
  const piece = text
    .slice(from, from + snippetLength)
    .replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
  return `${from > 0 ? "…" : ""}${piece}${from + snippetLength < text.length ? "…" : ""}`;
}

/** Looks for terms in a series of texts. */
export class TermSearch {
  readonly #missing: Set<string>;
  #snippet: string | undefined;

  constructor(terms: readonly string[]) {
    this.#missing = new Set(terms);
  }

  scan(text: string): void {
    if (this.#missing.size === 0) return;
    const folded = foldText(text);
    for (const term of this.#missing) {
      if (!folded.includes(term)) continue;
      this.#missing.delete(term);
      this.#snippet ??= makeSnippet(text, term);
    }
  }

  get isDone(): boolean {
    return this.#missing.size === 0;
  }

  get snippet(): string | undefined {
    return this.#snippet;
  }
}
