/** JSON in one line for all who read lines: JSON leaves as they are some characters that end one for Node's readline and for Python's splitlines. */

import { wellFormedJson } from "./well-formed-json.ts";

const lineEnds = /[\u0085\u2028\u2029]/gu;

export function jsonLine(value: unknown): string {
  return inOneLine(JSON.stringify(value));
}

/** JSON text of which each of these is an escape: they stand in strings alone, where it means the same. */
function inOneLine(json: string): string {
  return hasLineEnd(json) ? json.replace(lineEnds, escaped) : json;
}

/** Next to no line has one. In a text of Latin letters, a search for the first is far quicker than an expression, and the others are known not to be there. */
function hasLineEnd(json: string): boolean {
  return json.includes("\u0085") || json.includes("\u2028") || json.includes("\u2029");
}

/** The same with U+FFFD for each half of a surrogate pair: for readers of others, some of whom refuse a line that holds one. */
export function wellFormedLine(value: object): string {
  return inOneLine(wellFormedJson(value));
}

/** JSON for a terminal: it leaves control characters of eight bits as they are, which a terminal may act on. */
export function withoutControls(json: string): string {
  return json.replace(/[\x7f-\x9f]/gu, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
