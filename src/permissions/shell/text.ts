/** The output of the shell reader, and its stateless helpers. */

export interface Word {
  /** The text after quote removal; expansions are kept as written. */
  text: string;
  /** The number of leading characters that are certain; all of them unless an expansion begins there. */
  known: number;
  /** What the shell makes of the rest: file names, one value, or any number of words. Absent if everything is certain. */
  unsure?: Unsure;
  /** The index from which the text is certain again, up to the end. */
  tail?: number;
}

export type Unsure = "files" | "value" | "words";

export interface LexedCommand {
  words: Word[];
  /** Targets of redirections, except descriptors. */
  redirects: { target: Word; isWrite: boolean }[];
  /** The bodies of its here-documents and here-strings. */
  documents: string[];
  /**
   * The operators in front of the command, with `()` for a parenthesised part between. Inside parentheses, it starts with `(` and the
   * operators in front of these; inside a word of a command, which is listed after it, with `$(`. Undefined if it was read from other text.
   */
  before: string | undefined;
}

export interface Lexed {
  commands: LexedCommand[];
  /** False if the text is broken or nested too deeply: commands may be missing. */
  understood: boolean;
  /** Whether it contains something that a simpler shell reads differently. */
  isForBash: boolean;
}

/** A word without any open part. */
export function certainWord(text: string): Word {
  return { text, known: text.length };
}

export function textsOf(words: readonly { text: string }[]): string[] {
  return words.map(({ text }) => text);
}

export function joinTexts(words: readonly { text: string }[]): string {
  return textsOf(words).join(" ");
}

/** A command or word in quotes, as questions show it. */
export function quoteShown(shown: string): string {
  return `"${shown.length > 80 ? `${shown.slice(0, 79)}…` : shown}"`;
}

/** The rest of the word from `start`. */
export function wordFrom({ text, known, unsure, tail = 0 }: Word, start: number): Word {
  const rest = text.slice(start);
  if (unsure === undefined) return certainWord(rest);
  return { text: rest, known: Math.max(0, known - start), unsure, tail: Math.max(0, tail - start) };
}

export function emptyCommand(before?: string): LexedCommand {
  return { words: [], redirects: [], documents: [], before };
}

/** Splits at everything that could be an operator or a quote, for text that no reader can follow. */
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

  /** Adds a part that only the shell knows. */
  addUnknown(unsure: Unsure, source: string): void {
    if (this.#known < 0) this.#known = this.text.length;
    this.#unsure = this.#unsure === undefined || this.#unsure === unsure ? unsure : "words";
    if (/^\$(?:[A-Za-z_]\w*|\d)$/u.test(source))
      this.#names.push({ start: this.text.length, end: this.text.length + source.length });
    this.text += source;
    this.#tail = this.text.length;
  }

  /** Keeps names separate from following text: `"$X"x` is not `$Xx`. */
  #separateNames(): void {
    for (const { start, end } of this.#names.toReversed()) {
      if (!/\w/u.test(this.text.charAt(end))) continue;
      this.text = `${this.text.slice(0, start)}\${${this.text.slice(start + 1, end)}}${this.text.slice(end)}`;
      this.#tail += 2;
    }
  }

  build(): Word {
    if (this.#unsure === undefined) return certainWord(this.text);
    this.#separateNames();
    return { text: this.text, known: this.#known, unsure: this.#unsure, tail: this.#tail };
  }
}

export const redirection = /<<<|<<-|<<|<&|<>|<|>>|>&|>\||>/y;
const ansiQuotedForm = /\$'((?:[^'\\]|\\[^])*)'/uy;
export const variableName = /[A-Za-z_]\w*|[\d@*#?$!-]/uy;
/** Means the same in braces whether or not its quotes count there. */
export const harmlessQuoted = /'[^'"$`\\{}]*'/uy;
/** These may mean something else in `((…))` than in two nested subshells. */
export const ambiguousArithmetic = /["'\\\n]|(?:^|[\s;&|()<>])#/u;

const ansiEscapes: Record<string, string> = {
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

/** Reads the `$'…'` that begins at `at`; undefined if it never ends. */
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

/** Decodes the content of `$'…'`, up to a NUL, where bash ends it. */
function decodeAnsiQuoted(body: string): string {
  const decoded = body.replace(ansiEscape, (escape, ...groups) => {
    const [braced, hex, short, long, octal, control, letter] = groups as (string | undefined)[];
    const byte = braced ?? hex;
    // In braces, any number of digits is allowed, even none; the last two count.
    if (byte !== undefined) return fromCode(Number.parseInt(byte.slice(-2) || "0", 16));
    const code = short ?? long;
    if (code !== undefined) return fromCode(Number.parseInt(code, 16));
    if (octal !== undefined) return fromCode(Number.parseInt(octal, 8) & 0xff);
    if (control !== undefined) return control === "?" ? "\x7f" : fromCode(control.charCodeAt(0) & 0x1f);
    return ansiEscapes[letter ?? ""] ?? escape;
  });
  return decoded.split("\0", 1).join("");
}

function fromCode(code: number): string {
  return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
}

/** The index of the `))` that closes the `((` at `start`; -1 if there is none, as in two nested subshells. */
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
    const end = endOfLine(text, line);
    const content = text.slice(line, end);
    if ((stripsTabs ? content.replace(/^\t+/u, "") : content) === delimiter) {
      return { body: text.slice(start, line), next: Math.min(end + 1, text.length) };
    }
    line = end + 1;
  }
  return { body: text.slice(start), next: text.length };
}

/** Whether bash may end the document early: in a substitution, it accepts a line that only begins with the delimiter if a `)` follows. */
export function documentMayEndEarly(body: string, delimiter: string): boolean {
  return body
    .split("\n")
    .flatMap((line) => [line, line.replace(/^\t+/u, "")])
    .some((line) => line.startsWith(delimiter) && line.includes(")", delimiter.length));
}
