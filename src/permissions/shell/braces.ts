/** Expands braces of plain words, which bash does before all else: `src/{a,b}.ts`, `{1..3}`. */

const plainCharacter = String.raw`[\w./@%+,:=*?-]`;
const itemCharacter = plainCharacter.replace(",", "");
const list = String.raw`\{${itemCharacter}*(?:,${itemCharacter}*)+\}`;
const range = String.raw`\{(?:0|[1-9]\d{0,2})\.\.(?:0|[1-9]\d{0,2})\}`;
const bracedWord = new RegExp(String.raw`^(?:~\/)?(?:${plainCharacter}|${list}|${range})+$`, "u");
const brace = new RegExp(`(${list}|${range})`, "u");
const maxExpandedWords = 100;

/** The words that bash makes of one. Undefined if there is more than plain characters and braces, or too many or empty words. */
export function expandBraces(text: string): string[] | undefined {
  if (!bracedWord.test(text)) return undefined;
  let words = [""];
  for (const part of text.split(brace)) {
    const items = part.startsWith("{") ? braceItems(part) : [part];
    if (items.length * words.length > maxExpandedWords) return undefined;
    words = words.flatMap((before) => items.map((each) => before + each));
  }
  return words.includes("") ? undefined : words;
}

function braceItems(braces: string): string[] {
  const inner = braces.slice(1, -1);
  const [, first, last] = /^(\d+)\.\.(\d+)$/u.exec(inner) ?? [];
  if (first === undefined || last === undefined) return inner.split(",");
  const [from, to] = [Number(first), Number(last)];
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => String(from < to ? from + at : from - at));
}
