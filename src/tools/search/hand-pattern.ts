/** A pattern as ripgrep reads it, for JavaScript's expressions: words are of any script there, and what needs no escape may have one. */

const word = String.raw`\p{L}\p{M}\p{N}\p{Pc}`;
const boundary = `(?:(?<=[${word}])(?![${word}])|(?<![${word}])(?=[${word}]))`;
const noBoundary = `(?:(?<=[${word}])(?=[${word}])|(?<![${word}])(?![${word}]))`;
const piece =
  /\\[pP]\{(?<negated>\^?)(?<named>[\w=:^]+)\}|\\[xu]\{(?<code>[\da-fA-F]+)\}|\\(?<escaped>[^])|\{\d+(?:,\d*)?\}|[^]/gu;

/** Throws what the engine says of a broken one. */
export function handExpression(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(ofUnicode(pattern), `${flags}u`);
  } catch {
    // The older grammar takes more.
    return new RegExp(pattern, flags);
  }
}

function ofUnicode(pattern: string): string {
  // Those of ASCII are much faster, and what they are beside tells the same.
  const isWide = /[^ -~]|\\[pPxu]/u.test(pattern);
  let isInClass = false;
  return pattern.replace(piece, (text: string, ...rest: unknown[]) => {
    const { negated = "", named, code, escaped } = rest.at(-1) as Record<string, string | undefined>;
    if (named !== undefined) return property(text.startsWith(String.raw`\P`) !== (negated === "^"), named);
    if (code !== undefined) return String.raw`\u{${code}}`;
    if (escaped !== undefined) return escape(escaped, isInClass, isWide);
    if (isInClass) {
      isInClass = text !== "]";
      return text;
    }
    isInClass = text === "[";
    return /^[\]{}]$/u.test(text) ? `\\${text}` : text;
  });
}

function escape(character: string, isInClass: boolean, isWide: boolean): string {
  if (character === "w") return isInClass ? word : `[${word}]`;
  if (!isInClass && character === "W") return `[^${word}]`;
  if (!isInClass && isWide && character === "b") return boundary;
  if (!isInClass && isWide && character === "B") return noBoundary;
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
