/** JSON as people write it by hand: comments and a comma too many are passed over. What is left is JSON, each character at its place. */
import { besideNotes, parseJson, type ParsedJson } from "../lib/json.ts";

/** Notes that stand there twice are not told. */
export function parseJsonc(text: string): ParsedJson {
  const strict = parseJson(text);
  const read = strict.ok ? strict : parseJson(plainJson(text));
  return read.ok ? { ...read, repeated: besideNotes(read.repeated) } : read;
}

// A text or a comment without an end is taken whole: looked at once, however many quotes are in it.
const textOrComment = /"(?:[^"\\]|\\.)*(?:"|\\?$)|\/\/[^\r\n]*|\/\*[^]*?(?:\*\/|$)/gsu;
const textOrComma = /"(?:[^"\\]|\\.)*(?:"|\\?$)|,(?=\s*[}\]])/gsu;

/** Comments and spare commas blanked out. Of the same length, so that a place in it is one in `text`. */
export function plainJson(text: string): string {
  return withoutComments(text).replace(textOrComma, (found) => (found === "," ? " " : found));
}

/** Of the same length. A comment without an end stays. */
export function withoutComments(text: string): string {
  return text.replace(textOrComment, (found) => {
    const isOpen = found.startsWith("/*") && (found.length < 4 || !found.endsWith("*/"));
    if (found.startsWith('"') || isOpen) return found;
    return found.replace(/[^\r\n]/gu, (character) => " ".repeat(character.length));
  });
}
