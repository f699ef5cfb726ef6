/** What the shell reader hands on, and the pieces of it that need no state. */

export interface Word {
  /** After quote removal; an expansion stands as it was written. */
  text: string;
  /** How many characters of `text` are certain; all of them unless an expansion begins there. */
  known: number;
  /** What the shell makes of the rest: names of files, one value, or words of any number. Absent where all is certain. */
  unsure?: Unsure;
  /** Where what is certain begins again, up to the end. */
  tail?: number;
}

export type Unsure = "files" | "value" | "words";

export interface LexedCommand {
  words: Word[];
  /** Targets of redirections, descriptors left out. */
  redirects: { target: Word; isWrite: boolean }[];
  /** Bodies of its here-documents and here-strings. */
  documents: string[];
  /**
   * The operators in front of it, `()` for what stands in parentheses between. Where it stands in parentheses, with `(` and the
   * operators in front of that first; in a word of a command, which is listed behind it, with `$(`. Undefined where it is read out
   * of other text.
   */
  before: string | undefined;
}

export interface Lexed {
  commands: LexedCommand[];
  /** False where the text is broken or nested beyond reason: commands may be missing. */
  understood: boolean;
  /** Something stands in it that a plainer shell reads otherwise. */
  isForBash: boolean;
}

/** A word of which nothing is open. */
export function certainWord(text: string): Word {
  return { text, known: text.length };
}

export function textsOf(words: readonly { text: string }[]): string[] {
  return words.map(({ text }) => text);
}

export function joined(words: readonly { text: string }[]): string {
  return textsOf(words).join(" ");
}

/** The word from there on. */
export function behindStart({ text, known, unsure, tail = 0 }: Word, start: number): Word {
  const rest = text.slice(start);
  if (unsure === undefined) return certainWord(rest);
  return { text: rest, known: Math.max(0, known - start), unsure, tail: Math.max(0, tail - start) };
}

export function emptyCommand(before?: string): LexedCommand {
  return { words: [], redirects: [], documents: [], before };
}

/** Every run of words between anything that could be an operator or a quote: for text that no reader can follow. */
export function roughCommands(text: string): LexedCommand[] {
  const parts = text.replaceAll("\\\n", "").split(/[\n;&|(){}`$<>]+/u);
  return parts.map((part) => {
    const words = part.split(/[ \t\r]+/u).map((word) => word.replace(/["'\\]/gu, ""));
    const kept = words.filter((word) => word !== "");
    return { ...emptyCommand(), words: kept.map(certainWord) };
  });
}

export class WordBuilder {
  text = "";
  #known = -1;
  #unsure: Unsure | undefined;
  #tail = 0;
  readonly #names: { start: number; end: number }[] = [];

  /** Here stands what only the shell knows. */
  unknown(unsure: Unsure, source: string): void {
    if (this.#known < 0) this.#known = this.text.length;
    this.#unsure = this.#unsure === undefined || this.#unsure === unsure ? unsure : "words";
    if (/^\$(?:[A-Za-z_]\w*|\d)$/u.test(source))
      this.#names.push({ start: this.text.length, end: this.text.length + source.length });
    this.text += source;
    this.#tail = this.text.length;
  }

  /** A name ends where it ended in its quotes: `"$X"x` is not `$Xx`. */
  #partNames(): void {
    for (const { start, end } of this.#names.toReversed()) {
      if (!/\w/u.test(this.text.charAt(end))) continue;
      this.text = `${this.text.slice(0, start)}\${${this.text.slice(start + 1, end)}}${this.text.slice(end)}`;
      this.#tail += 2;
    }
  }

  done(): Word {
    if (this.#unsure === undefined) return certainWord(this.text);
    this.#partNames();
    return { text: this.text, known: this.#known, unsure: this.#unsure, tail: this.#tail };
  }
}

export const redirection = /<<<|<<-|<<|<&|<>|<|>>|>&|>\||>/y;
const ansiQuotedForm = /\$'((?:[^'\\]|\\[^])*)'/uy;
export const variableName = /[A-Za-z_]\w*|[\d@*#?$!-]/uy;
/** In braces it is the same whether its quotes are quotes there or not. */
export const harmlessQuoted = /'[^'"$`\\{}]*'/uy;
/** In `((…))` these may mean something else than in two nested subshells. */
export const oddInArithmetic = /["'\\\n]|(?:^|[\s;&|()<>])#/u;

const letters: Record<string, string> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

/** `$'…'` that begins at `at`; undefined where it never ends. */
export function readAnsiQuoted(text: string, at: number): { text: string; end: number } | undefined {
  ansiQuotedForm.lastIndex = at;
  const body = ansiQuotedForm.exec(text)?.[1];
  return body === undefined ? undefined : { text: decodeAnsiQuoted(body), end: ansiQuotedForm.lastIndex };
}

export function endOfLine(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? text.length : newline;
}

const ansiEscape =
  /\\(?:x\{([\da-fA-F]*)\}?|x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|c(\\\\|[^])|([^]))/gu;

/** What stands between the quotes of `$'…'`, up to the NUL that bash ends it at. */
function decodeAnsiQuoted(body: string): string {
  const decoded = body.replace(ansiEscape, (escape, ...groups) => {
    const [braced, hex, short, long, octal, control, letter] = groups as (string | undefined)[];
    const byte = braced ?? hex;
    // In braces any number of digits, of which the last two count, or none.
    if (byte !== undefined) return fromCode(Number.parseInt(byte.slice(-2) || "0", 16));
    const code = short ?? long;
    if (code !== undefined) return fromCode(Number.parseInt(code, 16));
    if (octal !== undefined) return fromCode(Number.parseInt(octal, 8) & 0xff);
    if (control !== undefined) return control === "?" ? "\x7f" : fromCode(control.charCodeAt(0) & 0x1f);
    return letters[letter ?? ""] ?? escape;
  });
  return decoded.split("\0", 1).join("");
}

function fromCode(code: number): string {
  return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
}

/** Where the `))` of a `((` at `start` is; -1 where there is none, as in two nested subshells. */
export function arithmeticEnd(text: string, start: number): number {
  if (!text.startsWith("((", start)) return -1;
  let open = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "(") open += 1;
    else if (character === ")") open -= 1;
    if (open === 1 && character === ")") return text.charAt(at + 1) === ")" ? at : -1;
  }
  return -1;
}

/** The body of a here-document that starts at `start`, up to its delimiter's line or the end of the text. */
export function readDocument(
  text: string,
  start: number,
  delimiter: string,
  stripsTabs: boolean,
): { body: string; next: number } {
  for (let line = start; line < text.length;) {
    const newline = text.indexOf("\n", line);
    const end = newline < 0 ? text.length : newline;
    const content = text.slice(line, end);
    if ((stripsTabs ? content.replace(/^\t+/u, "") : content) === delimiter) {
      return { body: text.slice(start, line), next: Math.min(end + 1, text.length) };
    }
    line = end + 1;
  }
  return { body: text.slice(start), next: text.length };
}

/** In a substitution bash ends a here-document at a line that only begins with its delimiter, where a `)` follows. */
export function endsBeforeBrace(body: string, delimiter: string): boolean {
  return body
    .split("\n")
    .flatMap((line) => [line, line.replace(/^\t+/u, "")])
    .some((line) => line.startsWith(delimiter) && line.includes(")", delimiter.length));
}
