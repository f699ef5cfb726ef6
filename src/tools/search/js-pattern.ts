/** Converts a ripgrep pattern for JavaScript: `\w` covers every script, and characters that need no escape may be escaped. */
import { withoutPrototype } from "../../lib/without-prototype.ts";

const wordClass = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}`;
/** The complement of `wordClass`, except for circled letters and joiners: a class cannot contain the complement of another class. */
const nonWordClass = String.raw`\p{No}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\p{S}\p{Z}\p{C}`;
const patternPiece =
  /\\[pP](?:\{(?<negated>\^?)(?<named>[\w=:^]+)\}|(?<general>[A-Z]))|\\[xu]\{(?<code>[\da-fA-F]+)\}|\\(?<escaped>[^])|\[:(?<posix>\^?\w+):\]|\[\^?\]|&&|--|~~|\{\d+(?:,\d*)?\}|[^]/gu;

/** Throws the engine's error for an invalid pattern. */
export function toJsRegExp(ripgrepPattern: string, givenFlags: string): RegExp {
  const [begin = "", ownFlags = ""] = /^\(\?([ims]+)\)/u.exec(ripgrepPattern) ?? [];
  const pattern = ripgrepPattern.slice(begin.length);
  const flags = [...new Set(givenFlags + ownFlags)].join("");
  // Use the `u` grammar: the older one accepts unknown escapes as plain letters, so a wrong pattern would silently find nothing.
  return new RegExp(toUnicodePattern(pattern), `${flags}u`);
}

function toUnicodePattern(pattern: string): string {
  let isInClass = false;
  const written = pattern.replace(patternPiece, (text: string, ...rest: unknown[]) => {
    const { negated = "", general, named = general, code, escaped, posix } = rest.at(-1) as Parts;
    if (named !== undefined) return unicodeProperty(text.startsWith(String.raw`\P`) !== (negated === "^"), named);
    if (code !== undefined) return String.raw`\u{${code}}`;
    if (escaped !== undefined) return convertEscape(escaped, isInClass);
    if (posix !== undefined) return isInClass ? (posixClasses[posix] ?? rejectClassSyntax(text)) : text;
    if (isInClass) {
      if (/^(?:\[|&&|--|~~)/u.test(text)) return rejectClassSyntax(text);
      isInClass = !text.endsWith("]");
      return text;
    }
    isInClass = text.startsWith("[");
    // A closing bracket at the start of a class is a member of it.
    return /^(?:[\]{}]|\[\^?\])$/u.test(text) ? text.replace(/[\]{}]$/u, String.raw`\$&`) : text;
  });
  if (isInClass) throw new Error("a character class, which begins with [, is not closed");
  return written;
}

function rejectClassSyntax(text: string): never {
  throw new Error(
    `${text} within a character class needs ripgrep, which is not installed; write a literal bracket there as \\[`,
  );
}

type Parts = Record<string, string | undefined>;

/** The ASCII ranges of POSIX classes, for use within a class. */
const posixClasses = withoutPrototype({
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
  b: `(?:(?<=[${wordClass}])(?![${wordClass}])|(?<![${wordClass}])(?=[${wordClass}]))`,
  B: `(?:(?<=[${wordClass}])(?=[${wordClass}])|(?<![${wordClass}])(?![${wordClass}]))`,
  "<": `(?<![${wordClass}])(?=[${wordClass}])`,
  ">": `(?<=[${wordClass}])(?![${wordClass}])`,
  A: "(?<![^])",
  z: "(?![^])",
};

function convertEscape(character: string, isInClass: boolean): string {
  if (character === "w") return isInClass ? wordClass : `[${wordClass}]`;
  if (character === "W") return isInClass ? nonWordClass : `[^${wordClass}]`;
  if (character === "d") return String.raw`\p{Nd}`;
  if (character === "D") return String.raw`\P{Nd}`;
  const outside = isInClass ? undefined : outsideClasses[character];
  if (outside !== undefined) return outside;
  const hasMeaning = /[A-Za-z\d^$\\.*+?()[\]{}|/]/u.test(character) || (isInClass && character === "-");
  return hasMeaning ? `\\${character}` : character;
}

/** A Unicode property. A script may be named alone, as in `\p{Greek}`. */
function unicodeProperty(isNegated: boolean, name: string): string {
  const letter = isNegated ? "P" : "p";
  try {
    void new RegExp(String.raw`\p{${name}}`, "u");
    return `\\${letter}{${name}}`;
  } catch {
    return `\\${letter}{Script=${name}}`;
  }
}
