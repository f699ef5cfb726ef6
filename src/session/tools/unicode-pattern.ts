/**
 * Expressions of schemas, which are written without the flag `u` (`[\w-.]`, `\@`, `{a}`), as the validator takes them, which reads
 * all with it.
 */

/** The same expression; unchanged where it can be read as it is, or not at all. */
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

/** A class, an escape, a quantifier, or a character. */
const pieces = /\[\^?(?:\\[\s\S]|[^\]\\])*\]|\\[\s\S]|\{\d+(?:,\d*)?\}|[\s\S]/gu;
/** A range, or one of its kind. */
const members = /(\\[\s\S]|[^\\])-(\\[\s\S]|[^\\])|\\[\s\S]|[^\\]/gu;
const setEscape = /^\\[dDsSwW]$/u;
/** One that stands for its character without a meaning of its own. */
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
    // Between sets there is no range: the hyphen is one of the class.
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
