/**
 * Like `JSON.stringify`, with U+FFFD for each half of a surrogate pair: strict Unicode parsers refuse its escape, and with it the whole
 * text ("no low surrogate in string").
 */
export function wellFormedJson(value: object): string {
  const json = JSON.stringify(value);
  // JSON.stringify writes \ud… escapes only for halves. An escaped backslash is skipped together with the character after it.
  return json.includes(String.raw`\ud`) ? json.replace(/\\(?:ud[89a-f][\da-f]{2}|[^])/g, replaceHalfSurrogate) : json;
}

function replaceHalfSurrogate(escape: string): string {
  return escape.length === 6 ? "\ufffd" : escape;
}
