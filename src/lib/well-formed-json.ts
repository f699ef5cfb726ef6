/**
 * As `JSON.stringify`, with U+FFFD for each half of a surrogate pair: parsers that keep to Unicode refuse the escape that stands
 * for it, and with it the whole text ("no low surrogate in string").
 */
export function wellFormedJson(value: object): string {
  const json = JSON.stringify(value);
  // Escapes of the other kind are only made for halves. A backslash that is itself escaped is passed over with what it escapes.
  return json.includes(String.raw`\ud`) ? json.replace(/\\(?:ud[89a-f][\da-f]{2}|[^])/g, withoutHalf) : json;
}

function withoutHalf(escape: string): string {
  return escape.length === 6 ? "\ufffd" : escape;
}
