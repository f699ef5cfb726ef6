/** ISO 8601 time for ms since the epoch. Several records fall into the same millisecond, so the last text is cached. */
let cachedTime = { at: 0, text: new Date(0).toISOString() };

export function isoTime(at: number): string {
  if (cachedTime.at !== at) cachedTime = { at, text: new Date(at).toISOString() };
  return cachedTime.text;
}
