/** Fills the arguments of a skill or command into the placeholders of its text. Inserted text is never searched for placeholders again. */
import { quoteForShell } from "../lib/shell-quote.ts";

export interface ArgumentValues {
  /** As typed. */
  argument: string;
  /** Names by position. */
  names: readonly string[];
  /** `CLAUDE_SKILL_DIR` and the like. */
  variables: Readonly<Record<string, string>>;
  /** Whether `$1` is the second argument: so if `$0` or `$ARGUMENTS[` occurs anywhere in the text. */
  countsFromZero: boolean;
}

/** Splits words as a shell would: quotes group words and are removed; an unclosed quote ends with the text. */
export function splitArguments(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "\\" && quote !== "'" && at + 1 < text.length) word = (word ?? "") + (text[(at += 1)] ?? "");
    else if (quote !== "") {
      if (character === quote) quote = "";
      else word = (word ?? "") + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (!/\s/u.test(character)) word = (word ?? "") + character;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}

/**
 * Without a match for a backslash that escapes no placeholder: text about shells, patterns and formulas is full of them. By convention, and
 * in a shell, a backslash that is itself escaped escapes nothing.
 */
const placeholder =
  /\\\$(?<=(?<!\\)(?:\\\\)*\\\$)(ARGUMENTS|\d|\{[A-Z][A-Z_]*\}|[A-Za-z_]\w*)|\$ARGUMENTS(?:\[(\d{1,3})\])?|\$\{([A-Z][A-Z_]*)\}|\$(\d{1,2})(?![\w]|[.,]\d)|\$([A-Za-z_]\w*)/gu;

export function countsFromZero(body: string): boolean {
  return [...body.matchAll(placeholder)].some(([, , index, , digit]) => index !== undefined || digit === "0");
}

/** Returns the argument at a position; undefined if none was typed. */
function argumentAt(position: string, words: readonly string[], values: ArgumentValues): string | undefined {
  return words[Number(position) - (values.countsFromZero ? 0 : 1)];
}

/** Whether the text takes arguments: all that was typed, one word of it, or a name (even if it becomes empty). */
export function takesArguments(text: string, values: ArgumentValues): boolean {
  const words = splitArguments(values.argument);
  return [...text.matchAll(placeholder)].some(([whole, , index, , digit, name]) => {
    const position = index ?? digit;
    if (position !== undefined) return argumentAt(position, words, values) !== undefined;
    return whole === "$ARGUMENTS" || (name !== undefined && values.names.includes(name));
  });
}

/** `text`: what follows a dollar sign. */
function isPlaceholder(text: string, { names, variables }: ArgumentValues): boolean {
  if (text.startsWith("{")) return Object.hasOwn(variables, text.slice(1, -1));
  return text === "ARGUMENTS" || /^\d/u.test(text) || names.includes(text);
}

export function fillPlaceholders(
  text: string,
  values: ArgumentValues,
  write: (value: string) => string = (value) => value,
): string {
  const words = splitArguments(values.argument);
  return text.replaceAll(placeholder, (whole: string, ...found: (string | undefined)[]) => {
    const [escaped, index, variable, digit, name] = found;
    if (escaped !== undefined) return isPlaceholder(escaped, values) ? `$${escaped}` : whole;
    if (variable !== undefined) {
      const value = values.variables[variable];
      return value === undefined ? whole : write(value);
    }
    // A position without an argument stays as it is; a name becomes empty.
    const position = index ?? digit;
    if (position !== undefined) {
      const word = argumentAt(position, words, values);
      return word === undefined ? whole : write(word);
    }
    if (name !== undefined) {
      const at = values.names.indexOf(name);
      return at < 0 ? whole : write(words[at] ?? "");
    }
    return write(values.argument);
  });
}

const complexShellSyntax = /\$\(|`|<<|[<>]\(|\$['"]|\$\{(?![A-Z_]+\})|\\$/u;

/**
 * Positions in a command where bash evaluates a word as arithmetic, uses it as a variable name, or reads it twice after `>&`, and so runs
 * what a subscript in it says. Inserted text is represented by `'`, and no other quotes are left.
 */
const arithmeticContext = new RegExp(
  [
    String.raw`(?:\(\(|\$\[)[^]*'`,
    String.raw`'[^\n]*\]\+?=`,
    String.raw`'\S*\s+-(?:eq|ne|[gl][et])\s|\s-(?:eq|ne|[gl][et])\s+\S*'`,
    String.raw`(?:\[|\btest|\bprintf|[!&|])\s+-v\s*\S*'`,
    String.raw`>&\s*\S*'`,
    String.raw`(?:^|[;&|({!]|\b(?:do|then|else|if|while|until)\s)\s*(?:let|read|unset|(?:declare|typeset|local)\s+-\w*[in]\w*)\s[^;&|\n]*'|\b(?:declare|typeset|local)\s+(?:-\w+\s+)*'`,
  ].join("|"),
  "mu",
);

/**
 * Fills arguments into a shell line, quoted so that the shell interprets nothing in them. Undefined if the line is too intricate to tell
 * where they would end up.
 */
export function fillCommand(command: string, values: ArgumentValues): string | undefined {
  // Continued lines are joined first: a break may be in the middle of something intricate.
  if (complexShellSyntax.test(command.replaceAll("\\\n", "")))
    return takesArguments(command, values) ? undefined : fillVariables(command, values);
  let filled = "";
  let reading: QuoteState = { open: "", mayBegin: true, isDollar: false, bare: "" };
  let arePlain = true;
  let from = 0;
  for (const found of [...command.matchAll(placeholder), undefined]) {
    // An escaped dollar sign is left to the shell.
    if (found?.[1] !== undefined) continue;
    const piece = command.slice(from, found?.index);
    reading = advanceQuoteState(piece, reading);
    filled += piece;
    if (found === undefined) break;
    from = found.index + found[0].length;
    const isAllArguments = found[0] === "$ARGUMENTS";
    const isRedirected = /[<>]/u.test(command[from] ?? "") && !reading.bare.includes("((");
    const isTested = reading.bare.includes("[[");
    const write = (value: string): string =>
      quoteValue(value, { quote: reading.open, isAllArguments, isRedirected, isTested });
    const inserted = reading.open === "#" ? found[0] : fillPlaceholders(found[0], values, write);
    filled += inserted;
    const { open, mayBegin, isDollar, bare } = reading;
    reading = { open, mayBegin: mayBegin && inserted === "", isDollar: false, bare };
    if (inserted === found[0]) continue;
    // After another dollar sign, the shell would read a quote, a name or a parenthesis differently.
    if (isDollar) return undefined;
    arePlain &&= /^[\w@%+=:,./ -]*$/u.test(inserted);
    reading.bare += "'";
  }
  return arePlain || !arithmeticContext.test(reading.bare) ? filled : undefined;
}

/** Fills in variables only: an escaped dollar sign is left to the shell. Undefined if a value is not a plain word. */
function fillVariables(command: string, { variables }: ArgumentValues): string | undefined {
  let arePlain = true;
  const filled = command.replaceAll(placeholder, (whole: string, ...[, , variable]: (string | undefined)[]) => {
    const value = variable === undefined ? undefined : variables[variable];
    arePlain &&= value === undefined || plainWord.test(value);
    return value ?? whole;
  });
  return arePlain ? filled : undefined;
}

interface QuoteState {
  /** The open quote, or `#` in a comment. */
  open: string;
  /** Whether a word may begin here, so that `#` would begin a comment. */
  mayBegin: boolean;
  /** The last character is an unescaped dollar sign. */
  isDollar: boolean;
  /** The text outside quotes and comments, with `'` for inserted text. */
  bare: string;
}

function advanceQuoteState(piece: string, before: QuoteState): QuoteState {
  let { open, mayBegin, isDollar, bare } = before;
  for (let at = 0; at < piece.length; at += 1) {
    const character = piece[at] ?? "";
    if (open === "#") {
      if (character !== "\n") continue;
      [open, mayBegin] = ["", true];
      bare += "\n";
    } else if (character === "\\" && open !== "'") {
      // A continued line counts as one line.
      if (piece[(at += 1)] === "\n") continue;
      [mayBegin, isDollar] = [false, false];
    } else {
      isDollar = character === "$" && open !== "'";
      if (open !== "") {
        if (character === open) open = "";
        continue;
      }
      if (character === '"' || character === "'" || (character === "#" && mayBegin)) open = character;
      else bare += character;
      mayBegin = /[ \t\n;&|()<>]/u.test(character);
    }
  }
  return { open, mayBegin, isDollar, bare };
}

const plainWord = /^[\w@%+=:,./-]+$/u;

interface QuoteContext {
  quote: string;
  /** The value is everything that was typed, not one word of it. */
  isAllArguments: boolean;
  /** A redirection follows: a bare number would become part of it. */
  isRedirected: boolean;
  /** Inside `[[`, where a word that begins like an operator would be one. */
  isTested: boolean;
}

function quoteValue(value: string, { quote, isAllArguments, isRedirected, isTested }: QuoteContext): string {
  if (quote === "'") return value.replaceAll("'", `'\\''`);
  if (quote === '"') return value.replaceAll(/[\\"$`]/gu, String.raw`\$&`);
  const words = isAllArguments ? splitArguments(value) : [value];
  const isBare = (word: string): boolean => plainWord.test(word) && !isRedirected && !(isTested && /^\W/u.test(word));
  return words.map((word) => (isBare(word) ? word : quoteForShell(word))).join(" ");
}
