/** Addresses against patterns in which a star stands for anything. Linear in both. */

/** Whether the pattern allows the address: a star in its host stays in the host, since any other host can have the rest in its path. */
export function allowsAddress(pattern: string, url: string): boolean {
  const [patternHead, patternRest] = parted(pattern);
  if (patternHead === "") return matchesStars(pattern, url);
  const [head, rest] = parted(url);
  // Before an @ stands a name, and the host behind it.
  if (patternHead.includes("*") && head.includes("@")) return false;
  if (!matchesStars(patternHead, head)) return false;
  return (patternRest === "" && patternHead.endsWith("*")) || matchesStars(patternRest, rest);
}

/** Whatever a star could mean: for what is to be denied. */
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

/** Scheme and host, and what is behind them. */
function parted(address: string): [string, string] {
  const [head = ""] = /^[^/?#\\]*:\/\/[^/?#\\]*/u.exec(address) ?? [];
  return [head, address.slice(head.length)];
}
