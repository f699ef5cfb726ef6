/** Text as one word of any Bourne shell, whatever is in it but NUL. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** As one word of a shell command, for people to copy: as it is where that is one. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/u.test(text)) return text;
  return /["$`\\!]/u.test(text) ? shellQuoted(text) : `"${text}"`;
}
