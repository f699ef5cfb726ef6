/** JSON as one line: JSON leaves some characters unescaped that end a line for Node.js readline and Python splitlines. */

import { wellFormedJson } from "./well-formed-json.ts";

const lineEnds = /[\u0085\u2028\u2029]/gu;

export function jsonLine(value: unknown): string {
  return escapeLineEnds(JSON.stringify(value));
}

/** Escapes those characters in JSON text: they occur only in strings, where the escape means the same. */
function escapeLineEnds(json: string): string {
  return hasLineEnd(json) ? json.replace(lineEnds, escapeCharacter) : json;
}

/** Hardly any line contains one. For Latin-1 strings `includes` is much faster than a regular expression, and the last two cannot occur. */
function hasLineEnd(json: string): boolean {
  return json.includes("\u0085") || json.includes("\u2028") || json.includes("\u2029");
}

/** Like `jsonLine`, with U+FFFD for each half of a surrogate pair: some foreign readers refuse lines with such halves. */
export function wellFormedLine(value: object): string {
  return escapeLineEnds(wellFormedJson(value));
}

/** JSON for a terminal: escapes DEL and eight-bit control characters, which JSON leaves as they are and a terminal may act on. */
export function escapeControls(json: string): string {
  return json.replace(/[\x7f-\x9f]/gu, escapeCharacter);
}

/** Takes one UTF-16 unit. */
export function escapeCharacter(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
