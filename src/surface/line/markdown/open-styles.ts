/** Tracks which colours and weights are on at a place in a text, so that none continues past the end of a row. */

const styles = new RegExp(String.raw`\x1b\[([\d;]+)m`, "gu");

export class OpenStyles {
  #codes: string[] = [];

  /** Reads the styles of the text that comes next. */
  track(text: string): void {
    for (const [, code] of text.matchAll(styles)) {
      if (code === undefined) continue;
      if (isResetCode(code)) this.#codes = this.#codes.filter((each) => resetCodeFor(each) !== code);
      else this.#codes.push(code);
    }
  }

  /** The sequences that end the open styles. */
  get off(): string {
    return this.#codes
      .toReversed()
      .map((code) => `\x1b[${resetCodeFor(code)}m`)
      .join("");
  }

  /** The sequences that start them again. */
  get on(): string {
    return this.#codes.map((code) => `\x1b[${code}m`).join("");
  }

  clear(): void {
    this.#codes = [];
  }
}

function isResetCode(code: string): boolean {
  return code === "22" || code === "23" || code === "39";
}

function resetCodeFor(code: string): string {
  if (code === "3") return "23";
  return code === "1" || code === "2" ? "22" : "39";
}
