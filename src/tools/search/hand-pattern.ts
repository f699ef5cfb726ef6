/** A pattern as ripgrep reads it, for JavaScript's expressions: words are of any script there, and what needs no escape may have one. */
import { ownNames } from "../../lib/own-names.ts";

const word = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}`;
/** What Unicode has beside, but for letters in circles, and joiners: a class cannot hold the rest of another one. */
const noWord = String.raw`\p{No}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\p{S}\p{Z}\p{C}`;
const piece =
  /\\[pP](?:\{(?<negated>\^?)(?<named>[\w=:^]+)\}|(?<general>[A-Z]))|\\[xu]\{(?<code>[\da-fA-F]+)\}|\\(?<escaped>[^])|\[:(?<posix>\^?\w+):\]|\[\^?\]|&&|--|~~|\{\d+(?:,\d*)?\}|[^]/gu;

/** Throws what the engine says of a broken one. */
export function handExpression(given: string, givenFlags: string): RegExp {
  const [begin = "", ownFlags = ""] = /^\(\?([ims]+)\)/u.exec(given) ?? [];
  const pattern = given.slice(begin.length);
  const flags = [...new Set(givenFlags + ownFlags)].join("");
  // Not by the older grammar, which takes more: of what it does not know it makes letters, and nothing is found without a word.
  return new RegExp(ofUnicode(pattern), `${flags}u`);
}

function ofUnicode(pattern: string): string {
  let isInClass = false;
  const written = pattern.replace(piece, (text: string, ...rest: unknown[]) => {
    const { negated = "", general, named = general, code, escaped, posix } = rest.at(-1) as Parts;
    if (named !== undefined) return property(text.startsWith(String.raw`\P`) !== (negated === "^"), named);
    if (code !== undefined) return String.raw`\u{${code}}`;
    if (escaped !== undefined) return escape(escaped, isInClass);
    if (posix !== undefined) return isInClass ? (posixClasses[posix] ?? unread(text)) : text;
    if (isInClass) {
      if (/^(?:\[|&&|--|~~)/u.test(text)) return unread(text);
      isInClass = !text.endsWith("]");
      return text;
    }
    isInClass = text.startsWith("[");
    // Where a class begins by a closing bracket, that is one of it.
    return /^(?:[\]{}]|\[\^?\])$/u.test(text) ? text.replace(/[\]{}]$/u, String.raw`\$&`) : text;
  });
  if (isInClass) throw new Error("a class of characters, which begins by [, is not closed");
  return written;
}

function unread(text: string): never {
  throw new Error(`${text} within a class of characters needs ripgrep, which is not installed; a bracket there is \\[`);
}

type Parts = Record<string, string | undefined>;

/** Of ASCII, within a class. */
const posixClasses = ownNames({
  alpha: "a-zA-Z",
  alnum: "a-zA-Z0-9",
  digit: "0-9",
  "^digit": String.raw`\D`,
  upper: "A-Z",
  lower: "a-z",
  xdigit: "0-9a-fA-F",
  word: "0-9A-Za-z_",
  space: String.raw`\t-\r `,
  "^space": String.raw`\S`,
  blank: String.raw`\t `,
  punct: String.raw`!-\/:-@\[-${"`"}\{-~`,
  graph: "!-~",
  print: " -~",
  cntrl: String.raw`\x00-\x1f\x7f`,
  ascii: String.raw`\x00-\x7f`,
});

const outsideClasses: Record<string, string> = {
  b: `(?:(?<=[${word}])(?![${word}])|(?<![${word}])(?=[${word}]))`,
  B: `(?:(?<=[${word}])(?=[${word}])|(?<![${word}])(?![${word}]))`,
  "<": `(?<![${word}])(?=[${word}])`,
  ">": `(?<=[${word}])(?![${word}])`,
  A: "(?<![^])",
  z: "(?![^])",
};

function escape(character: string, isInClass: boolean): string {
  if (character === "w") return isInClass ? word : `[${word}]`;
  if (character === "W") return isInClass ? noWord : `[^${word}]`;
  if (character === "d") return String.raw`\p{Nd}`;
  if (character === "D") return String.raw`\P{Nd}`;
  const outside = isInClass ? undefined : outsideClasses[character];
  if (outside !== undefined) return outside;
  const hasMeaning = /[A-Za-z\d^$\\.*+?()[\]{}|/]/u.test(character) || (isInClass && character === "-");
  return hasMeaning ? `\\${character}` : character;
}

/** Of a script by its name alone: `\p{Greek}`. */
function property(isNegated: boolean, name: string): string {
  const letter = isNegated ? "P" : "p";
  try {
    void new RegExp(String.raw`\p{${name}}`, "u");
    return `\\${letter}{${name}}`;
  } catch {
    return `\\${letter}{Script=${name}}`;
  }
}
