/** JSON in one line for all who read lines: JSON leaves as they are some characters that end one for Node's readline and for Python's splitlines. */

import { wellFormedJson } from "./well-formed-json.ts";

const lineEnds = /[\u0085\u2028\u2029]/gu;

/** They stand in strings alone, where an escape means the same. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(lineEnds, escaped);
}

/** The same with U+FFFD for each half of a surrogate pair: for readers of others, some of whom refuse a line that holds one. */
export function wellFormedLine(value: object): string {
  return wellFormedJson(value).replace(lineEnds, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
