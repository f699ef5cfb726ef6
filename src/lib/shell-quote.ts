/** Words of a command line that a shell reads as they were, some of them for people to copy. */
import { reveal } from "./sanitize.ts";

/** Text as one word of any Bourne shell, whatever is in it but NUL. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** As one word of a shell command, for people to copy: as it is where that is one. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/u.test(text)) return text;
  return /["$`\\!]/u.test(text) ? shellQuoted(text) : `"${text}"`;
}

/** The same where some of it would not be seen, or not be copied with the rest: `$'a\302\240b'`, as bash, zsh and ksh read it. */
export function visibleWord(text: string): string {
  if (!/[\n\t]/u.test(text) && reveal(text) === text) return shellWord(text);
  const spelled = Array.from(text, (character) => {
    if (character === "'" || character === "\\") return `\\${character}`;
    return character !== "\n" && reveal(character) === character ? character : codeOf(character);
  }).join("");
  return `$'${spelled.replace(/ {17,}/gu, (blanks) => String.raw`\040`.repeat(blanks.length))}'`;
}

/** Byte by byte: `\u00a0` is not known to the bash of macOS, nor heeded where the locale is C, as in most containers. */
function codeOf(character: string): string {
  const bytes = new TextEncoder().encode(character);
  return Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
