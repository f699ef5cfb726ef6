/** A pattern as ripgrep reads it, for JavaScript's expressions: words are of any script there, and what needs no escape may have one. */

const word = String.raw`\p{L}\p{M}\p{N}\p{Pc}`;
const boundary = `(?:(?<=[${word}])(?![${word}])|(?<![${word}])(?=[${word}]))`;
const noBoundary = `(?:(?<=[${word}])(?=[${word}])|(?<![${word}])(?![${word}]))`;
const piece =
  /\\[pP](?:\{(?<negated>\^?)(?<named>[\w=:^]+)\}|(?<general>[A-Z]))|\\[xu]\{(?<code>[\da-fA-F]+)\}|\\(?<escaped>[^])|\[:(?<posix>\^?\w+):\]|\[\^?\]|\{\d+(?:,\d*)?\}|[^]/gu;

/** Throws what the engine says of a broken one. */
export function handExpression(given: string, givenFlags: string): RegExp {
  const [begin = "", ownFlags = ""] = /^\(\?([ims]+)\)/u.exec(given) ?? [];
  const pattern = given.slice(begin.length);
  const flags = [...new Set(givenFlags + ownFlags)].join("");
  const written = ofUnicode(pattern);
  try {
    return new RegExp(written, `${flags}u`);
  } catch {
    // The older grammar takes more.
    return new RegExp(pattern, flags);
  }
}

function ofUnicode(pattern: string): string {
  // Those of ASCII are much faster, and what they are beside tells the same.
  const isWide = /[^ -~]|\\[pPxu]/u.test(pattern);
  let isInClass = false;
  const written = pattern.replace(piece, (text: string, ...rest: unknown[]) => {
    const { negated = "", general, named = general, code, escaped, posix } = rest.at(-1) as Parts;
    if (named !== undefined) return property(text.startsWith(String.raw`\P`) !== (negated === "^"), named);
    if (code !== undefined) return String.raw`\u{${code}}`;
    if (escaped !== undefined) return escape(escaped, isInClass, isWide);
    if (posix !== undefined) return isInClass ? (posixClasses[posix] ?? text) : text;
    if (isInClass) {
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

type Parts = Record<string, string | undefined>;

/** Of ASCII, within a class. */
const posixClasses: Record<string, string> = {
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
};

function escape(character: string, isInClass: boolean, isWide: boolean): string {
  if (character === "w") return isInClass ? word : `[${word}]`;
  if (!isInClass && character === "W") return `[^${word}]`;
  if (!isInClass && isWide && character === "b") return boundary;
  if (!isInClass && isWide && character === "B") return noBoundary;
  if (!isInClass && character === "<") return isWide ? `(?<![${word}])(?=[${word}])` : String.raw`\b(?=\w)`;
  if (!isInClass && character === ">") return isWide ? `(?<=[${word}])(?![${word}])` : String.raw`\b(?<=\w)`;
  const hasMeaning = /[\w^$\\.*+?()[\]{}|/]/u.test(character) || (isInClass && character === "-");
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
