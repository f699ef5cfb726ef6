/** ISO 8601 time for ms since the epoch. Several records fall into the same millisecond, so the last text is cached. */
let made = { at: 0, text: new Date(0).toISOString() };

export function isoTime(at: number): string {
  if (made.at !== at) made = { at, text: new Date(at).toISOString() };
  return made.text;
}
