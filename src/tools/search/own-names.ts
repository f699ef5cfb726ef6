/** Globs by which folders are found that frameworks call `[id]`, `(group)` or `{name}`. */

/** The glob, and where it has such signs, the same with these as characters of a name. Braces around a choice stay a choice. */
export function withOwnNames(glob: string): string[] {
  const own = glob.replace(/\\.|\{[^{},]*\}|[[\]()]/gsu, (piece) =>
    piece.startsWith("\\") ? piece : piece.replace(/[[\](){}]/gu, String.raw`\$&`),
  );
  return own === glob ? [glob] : [glob, own];
}
