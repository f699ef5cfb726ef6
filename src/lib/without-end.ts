/** The text without the characters of `loose` at its end. No expression with `+$`: it looks again from each of a thousand blanks in the middle. */
export function withoutEnd(text: string, loose: string): string {
  let end = text.length;
  while (end > 0 && loose.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
