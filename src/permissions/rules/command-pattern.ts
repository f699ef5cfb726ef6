/**
 * The text inside `Bash(…)`: literals and `*`, nothing else. Matching is linear, and what a person wrote never becomes a regular
 * expression. `\*`, `\(`, `\)` and `\\` stand for the character itself.
 */

export interface CommandPattern {
  /** The literal pieces between the stars, in order; one piece is an exact command. */
  pieces: readonly string[];
  /** A trailing ` *` or `:*`: whatever follows the pieces is empty or starts with a blank. */
  endsAtWord: boolean;
}

const escapableCharacters = new Set(["*", "(", ")", "\\"]);

/** Returns null if nothing literal is left, so that an odd rule never becomes one that matches everything. */
export function parseCommandPattern(specifier: string): CommandPattern | null {
  const pieces = [""];
  const text = specifier.trim();
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    if (character === "*") pieces.push("");
    else if (character === "\\" && escapableCharacters.has(next)) {
      pieces[pieces.length - 1] += next;
      at += 1;
    } else pieces[pieces.length - 1] += character;
  }
  const boundary = /(?: |:)$/u;
  const before = pieces.at(-2);
  const endsAtWord = pieces.length > 1 && pieces.at(-1) === "" && before !== undefined && boundary.test(before);
  const kept = endsAtWord ? [...pieces.slice(0, -2), (before ?? "").replace(boundary, "")] : pieces;
  if (kept.every((piece) => piece.trim() === "")) return null;
  return { pieces: kept, endsAtWord };
}

const quotableWord = /(?<=^|\s)(?:\\[()\\]|[^\s'"\\]|"(?:\\[()\\]|[^"\\$`!])*"|'(?:\\[()\\]|[^'\\])*')+(?=\s|$)/gu;

/** The pattern without needless quotes: commands are compared without the quotes their words do not need, so the pattern must be, too. */
export function withoutNeedlessQuotes(specifier: string): string {
  const end = /(?::\*)?$/u.exec(specifier)?.[0] ?? "";
  const plain = specifier.slice(0, specifier.length - end.length).replaceAll(quotableWord, (whole) => {
    const bare = whole.replaceAll(/"([^"]*)"|'([^']*)'/gu, "$1$2");
    return /^[^\s'"*?[\]{}~]+$/u.test(bare) ? bare : whole;
  });
  return plain + end;
}

function matchesPieces(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (pieces.length === 1) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/** `text` is one command's words, joined by single blanks. */
export function matchesCommand(pattern: CommandPattern, text: string): boolean {
  if (matchesPieces(pattern.pieces, text)) return true;
  if (!pattern.endsAtWord) return false;
  const last = pattern.pieces.at(-1) ?? "";
  return matchesPieces([...pattern.pieces.slice(0, -1), `${last} `, ""], text);
}

/** Whether some text that begins with `known` could match. For commands of which only the beginning is certain. */
export function couldMatch(pattern: CommandPattern, known: string): boolean {
  const head = pattern.pieces[0] ?? "";
  // A variable's value never becomes an operator.
  if (pattern.pieces.every((piece) => /^[\s;&|<>]*$/u.test(piece))) return false;
  if (head.startsWith(known)) return true;
  if (!known.startsWith(head)) return false;
  if (pattern.pieces.length > 1) return true;
  return pattern.endsAtWord && known.charAt(head.length) === " ";
}

export function isExactPattern(pattern: CommandPattern): boolean {
  return pattern.pieces.length === 1 && !pattern.endsAtWord;
}

/** Whether the pattern is one literal followed by anything. */
export function isPrefixPattern(pattern: CommandPattern): boolean {
  if (pattern.endsAtWord) return pattern.pieces.length === 1;
  return pattern.pieces.length === 2 && pattern.pieces[1] === "";
}

export interface DividedPattern {
  first: CommandPattern;
  /** Undefined if no word follows the first. */
  rest: CommandPattern | undefined;
}

/** Splits off the first word, whose stars match within that word only; undefined if quotes may hold blanks. */
export function splitFirstWord({ pieces, endsAtWord }: CommandPattern): DividedPattern | undefined {
  const last = pieces.findIndex((piece) => piece.includes(" "));
  const [end = "", ...following] = pieces[last]?.split(" ") ?? [];
  const first = { pieces: last < 0 ? pieces : [...pieces.slice(0, last), end], endsAtWord: false };
  if (first.pieces.some((piece) => /[\s'"]/u.test(piece))) return undefined;
  const rest = { pieces: [following.join(" "), ...pieces.slice(last + 1)], endsAtWord };
  return { first, rest: last < 0 ? undefined : rest };
}

/** Whether the pattern names more than the program: `git push *`, but not `git *`. */
export function namesMoreThanProgram({ pieces }: CommandPattern): boolean {
  return /\S\s+\S/u.test(pieces.join("*").replace(/\s\*$/u, ""));
}

/** A specifier that matches exactly `text`. */
export function literalSpecifier(text: string): string {
  return text.replace(/[*()\\]/gu, String.raw`\$&`);
}
