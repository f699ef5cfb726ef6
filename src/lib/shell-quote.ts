/** Quotes words for a shell command line, some of them for people to copy. */
import { reveal } from "./sanitize.ts";

/** The text as one word for any Bourne shell, whatever it contains except NUL. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The text as one word of a shell command, for people to copy; unquoted if possible. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/u.test(text)) return text;
  return /["$`\\!]/u.test(text) ? quoteForShell(text) : `"${text}"`;
}

/** Like `shellWord`, but if part of the text is invisible or not copied: `$'a\302\240b'`, which bash, zsh and ksh understand. */
export function visibleWord(text: string): string {
  if (!/[\n\t]/u.test(text) && reveal(text) === text) return shellWord(text);
  const spelled = Array.from(text, (character) => {
    if (character === "'" || character === "\\") return `\\${character}`;
    return character !== "\n" && reveal(character) === character ? character : octalEscapes(character);
  }).join("");
  return `$'${spelled.replace(/ {17,}/gu, (blanks) => String.raw`\040`.repeat(blanks.length))}'`;
}

/** Byte by byte: bash on macOS does not know `\u00a0`, and in the C locale, as in most containers, it has no effect. */
function octalEscapes(character: string): string {
  const bytes = new TextEncoder().encode(character);
  return Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
