/** Text as one word of any Bourne shell, whatever is in it but NUL. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
