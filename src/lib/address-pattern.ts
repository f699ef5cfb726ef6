/** Matches addresses against patterns with `*` wildcards, in linear time. */

/** Whether the pattern allows the address. A star in its host stays in the host: any other host could have the rest in its path. */
export function allowsAddress(pattern: string, url: string): boolean {
  const [patternHead, patternRest] = splitAddress(pattern);
  if (patternHead === "") return matchesStars(pattern, url);
  const [head, rest] = splitAddress(url);
  // Text before an @ is a user name; the real host comes after it.
  if (patternHead.includes("*") && head.includes("@")) return false;
  if (!matchesStars(patternHead, head)) return false;
  return (patternRest === "" && patternHead.endsWith("*")) || matchesStars(patternRest, rest);
}

/** Matches with stars that may stand for anything, across all parts: for deny patterns. */
export function matchesStars(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const [index, piece] of rest.entries()) {
    const found = index === rest.length - 1 ? text.length - piece.length : text.indexOf(piece, at);
    if (found < at || !text.startsWith(piece, found)) return false;
    at = found + piece.length;
  }
  return true;
}

/** Splits an address into scheme with host, and the rest. */
function splitAddress(address: string): [string, string] {
  const [head = ""] = /^[^/?#\\]*:\/\/[^/?#\\]*/u.exec(address) ?? [];
  return [head, address.slice(head.length)];
}
