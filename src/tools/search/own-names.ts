/** Globs by which folders are found that frameworks call `[id]`, `(group)` or `{name}`. */

/** Past these, names and sets are not told apart: all signs are the one or the other. */
const mostApart = 4;
const namesAndSlashes = /(?:\\.|\[[!^]?\]?[^\]]{0,255}\]|[^/])+|\//gsu;

/** The glob, and where names in it have such signs, the same with these as characters. Braces around a choice stay a choice. */
export function withOwnNames(glob: string): string[] {
  const names = (glob.match(namesAndSlashes) ?? []).map(spellings);
  if (names.filter(({ length }) => length > 1).length > mostApart)
    return [0, -1].map((at) => names.map((each) => each.at(at)).join(""));
  return names.reduce((before, each) => before.flatMap((start) => each.map((name) => start + name)), [""]);
}

function spellings(name: string): string[] {
  const set = name.replace(/\\.|\[[!^]?\]?[^\]]{0,255}\]/gsu, (piece) => (isBackward(piece) ? named(piece) : piece));
  const own = name.replace(/\\.|\{[^{},]*\}|[[\]()]/gsu, (piece) => (piece.startsWith("\\") ? piece : named(piece)));
  return own === set ? [own] : [set, own];
}

function named(piece: string): string {
  return piece.replace(/[[\](){}]/gu, String.raw`\$&`);
}

/** A range that ends before it begins, as `r-i` in `[user-id]`, makes no set: ripgrep takes no glob with one. */
function isBackward(piece: string): boolean {
  const inside = piece.startsWith("[") ? piece.slice(1, -1).replace(/^[!^]/u, "") : "";
  return [...inside.matchAll(/(?=([^])-([^]))/gu)].some(
    ([, from = "", to = ""]) => (from.codePointAt(0) ?? 0) > (to.codePointAt(0) ?? 0),
  );
}
