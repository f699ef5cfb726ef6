/** As one word of a shell command, for people to copy. */
export function shellQuoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/u.test(text)) return text;
  return /["$`\\!]/u.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`;
}
