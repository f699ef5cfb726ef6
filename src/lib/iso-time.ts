/** ISO 8601 of ms since the epoch. Several records fall into one millisecond; the text is made once. */
let made = { at: 0, text: new Date(0).toISOString() };

export function isoTime(at: number): string {
  if (made.at !== at) made = { at, text: new Date(at).toISOString() };
  return made.text;
}
