/** Parses JSON with comments and trailing commas. These are blanked out, so that every other character keeps its place. */
import { withoutCommentKeys, parseJson, type ParsedJson } from "../lib/json.ts";

/** Parses the text. Repeated keys that are notes, such as `//`, are not reported. */
export function parseJsonc(text: string): ParsedJson {
  const strict = parseJson(text);
  const read = strict.ok ? strict : parseJson(plainJson(text));
  return read.ok ? { ...read, repeated: withoutCommentKeys(read.repeated) } : read;
}

// An unterminated text or comment is matched to the end: it is scanned once, however many quotes it has.
const textOrComment = /"(?:[^"\\]|\\.)*(?:"|\\?$)|\/\/[^\r\n]*|\/\*[^]*?(?:\*\/|$)/gsu;
const textOrComma = /"(?:[^"\\]|\\.)*(?:"|\\?$)|,(?=\s*[}\]])/gsu;

/** Blanks out comments and trailing commas. The result has the same length, so that its positions are those of `text`. */
export function plainJson(text: string): string {
  return withoutComments(text).replace(textOrComma, (found) => (found === "," ? " " : found));
}

/** Blanks out comments, keeping the length. An unterminated comment stays. */
export function withoutComments(text: string): string {
  return text.replace(textOrComment, (found) => {
    const isOpen = found.startsWith("/*") && (found.length < 4 || !found.endsWith("*/"));
    if (found.startsWith('"') || isOpen) return found;
    return found.replace(/[^\r\n]/gu, (character) => " ".repeat(character.length));
  });
}
