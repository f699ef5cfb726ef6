/** JSON in one line for all who read lines: JSON leaves as they are some characters that end one for Node's readline and for Python's splitlines. */

const lineEnds = /[\u0085\u2028\u2029]/gu;

/** They stand in strings alone, where an escape means the same. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(lineEnds, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
