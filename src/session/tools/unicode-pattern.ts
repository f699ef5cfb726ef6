/**
 * Converts patterns in schemas, which are written without the flag `u` (`[\w-.]`, `\@`, `{a}`), for the validator, which compiles all
 * patterns with it.
 */

/** Returns an equivalent pattern for the flag `u`; the same one if it is valid with `u` already, or cannot be converted. */
export function unicodePattern(pattern: string): string {
  if (isUnicodePattern(pattern) || !isPattern(pattern, "")) return pattern;
  const spelled = toUnicodeSyntax(pattern);
  return isUnicodePattern(spelled) ? spelled : pattern;
}

export function isUnicodePattern(pattern: string): boolean {
  return isPattern(pattern, "u");
}

function isPattern(pattern: string, flags: "" | "u"): boolean {
  try {
    return new RegExp(pattern, flags).flags === flags;
  } catch {
    return false;
  }
}

/** Matches a character class, an escape, a quantifier or a character. */
const piecePattern = /\[\^?(?:\\[\s\S]|[^\]\\])*\]|\\[\s\S]|\{\d+(?:,\d*)?\}|[\s\S]/gu;
/** Matches a range or a single member of a class. */
const memberPattern = /(\\[\s\S]|[^\\])-(\\[\s\S]|[^\\])|\\[\s\S]|[^\\]/gu;
const setEscape = /^\\[dDsSwW]$/u;
/** Matches an escape that stands for its character and is not needed. */
const needlessEscape = /^\\(?:_|[^\w^$\\.*+?()[\]{}|/])$/u;

function toUnicodeSyntax(pattern: string): string {
  return pattern.replace(piecePattern, (piece) => {
    if (piece.length > 1 && piece.startsWith("[")) return convertClass(piece);
    return ["{", "}", "]"].includes(piece) ? `\\${piece}` : stripNeedlessEscape(piece);
  });
}

function convertClass(piece: string): string {
  const opening = piece.startsWith("[^") ? "[^" : "[";
  const inside = piece.slice(opening.length, -1).replace(memberPattern, (member, from?: string, to?: string) => {
    if (from === undefined || to === undefined) return convertMember(member);
    // A set cannot bound a range, so the hyphen is a member of the class.
    const hyphen = setEscape.test(from) || setEscape.test(to) ? "\\-" : "-";
    return `${convertMember(from)}${hyphen}${convertMember(to)}`;
  });
  return `${opening}${inside}]`;
}

function convertMember(member: string): string {
  return member === "-" || member === "\\-" ? "\\-" : stripNeedlessEscape(member);
}

function stripNeedlessEscape(piece: string): string {
  return needlessEscape.test(piece) ? piece.slice(1) : piece;
}
