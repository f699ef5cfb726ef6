/** Globs by which folders are found that frameworks call `[id]`, `(group)` or `{name}`. */

/** The glob, and where it has such signs, the same with these as characters of a name. Braces around a choice stay a choice. */
export function withOwnNames(glob: string): string[] {
  const set = glob.replace(/\\.|\[[!^]?\]?[^\]]{0,255}\]/gsu, (piece) => (isBackward(piece) ? named(piece) : piece));
  const own = glob.replace(/\\.|\{[^{},]*\}|[[\]()]/gsu, (piece) => (piece.startsWith("\\") ? piece : named(piece)));
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
