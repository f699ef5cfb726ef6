/** Globs that also find folders with names such as `[id]`, `(group)` or `{name}`, which frameworks use. */

/** With more such names than this, variants are not combined: all names are read as sets, or all literally. */
const mostCombined = 4;
const namesAndSlashes = /(?:\\.|\[[!^]?\]?[^\]]{0,255}\]|[^/])+|\//gsu;

/** Returns the glob and its variants with brackets in names taken literally. Braces around a choice stay a choice. */
export function withLiteralNames(glob: string): string[] {
  const names = (glob.match(namesAndSlashes) ?? []).map(nameVariants);
  if (names.filter(({ length }) => length > 1).length > mostCombined)
    return [0, -1].map((at) => names.map((each) => each.at(at)).join(""));
  return names.reduce((before, each) => before.flatMap((start) => each.map((name) => start + name)), [""]);
}

function nameVariants(name: string): string[] {
  const set = name.replace(/\\.|\[[!^]?\]?[^\]]{0,255}\]/gsu, (piece) =>
    hasBackwardRange(piece) ? escapeBrackets(piece) : piece,
  );
  const own = name.replace(/\\.|\{[^{},]*\}|[[\]()]/gsu, (piece) =>
    piece.startsWith("\\") ? piece : escapeBrackets(piece),
  );
  return own === set ? [own] : [set, own];
}

function escapeBrackets(piece: string): string {
  return piece.replace(/[[\](){}]/gu, String.raw`\$&`);
}

/** A range whose end is before its start, such as `r-i` in `[user-id]`, is not a valid set: ripgrep rejects a glob with one. */
function hasBackwardRange(piece: string): boolean {
  const inside = piece.startsWith("[") ? piece.slice(1, -1).replace(/^[!^]/u, "") : "";
  return [...inside.matchAll(/(?=([^])-([^]))/gu)].some(
    ([, from = "", to = ""]) => (from.codePointAt(0) ?? 0) > (to.codePointAt(0) ?? 0),
  );
}
