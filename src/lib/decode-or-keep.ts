/** Decodes percent-encoded text; text with a stray `%` is taken literally. */
export function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
