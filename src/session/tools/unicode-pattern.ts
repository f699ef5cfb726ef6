/**
 * Converts patterns in schemas, which are written without the flag `u` (`[\w-.]`, `\@`, `{a}`), for the validator, which compiles all
 * patterns with it.
 */

/** Returns an equivalent pattern for the flag `u`; the same one if it is valid with `u` already, or cannot be converted. */
export function unicodePattern(pattern: string): string {
  if (isUnicodePattern(pattern) || !isPattern(pattern, "")) return pattern;
  const spelled = spelledOut(pattern);
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
const pieces = /\[\^?(?:\\[\s\S]|[^\]\\])*\]|\\[\s\S]|\{\d+(?:,\d*)?\}|[\s\S]/gu;
/** Matches a range or a single member of a class. */
const members = /(\\[\s\S]|[^\\])-(\\[\s\S]|[^\\])|\\[\s\S]|[^\\]/gu;
const setEscape = /^\\[dDsSwW]$/u;
/** Matches an escape that stands for its character and is not needed. */
const needless = /^\\(?:_|[^\w^$\\.*+?()[\]{}|/])$/u;

function spelledOut(pattern: string): string {
  return pattern.replace(pieces, (piece) => {
    if (piece.length > 1 && piece.startsWith("[")) return spelledClass(piece);
    return ["{", "}", "]"].includes(piece) ? `\\${piece}` : withoutNeedless(piece);
  });
}

function spelledClass(piece: string): string {
  const opening = piece.startsWith("[^") ? "[^" : "[";
  const inside = piece.slice(opening.length, -1).replace(members, (member, from?: string, to?: string) => {
    if (from === undefined || to === undefined) return spelledMember(member);
    // A set cannot bound a range, so the hyphen is a member of the class.
    const hyphen = setEscape.test(from) || setEscape.test(to) ? "\\-" : "-";
    return `${spelledMember(from)}${hyphen}${spelledMember(to)}`;
  });
  return `${opening}${inside}]`;
}

function spelledMember(member: string): string {
  return member === "-" || member === "\\-" ? "\\-" : withoutNeedless(member);
}

function withoutNeedless(piece: string): string {
  return needless.test(piece) ? piece.slice(1) : piece;
}
