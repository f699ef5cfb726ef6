/** Writes a path as a mention, so that its file is sent with the prompt. */

/** Paths that cannot be mentioned: a quote ends a mention, backticks mark code, and a suffix may look like a range of lines. */
const unmentionable = /["`\n]|[#:]L?\d{1,7}(?:-L?\d{1,7})?$/u;

export function canBeMentioned(path: string): boolean {
  return !unmentionable.test(path);
}

/** Adds `./` to a path with an unusual first character. Quotes a path that a bare mention would cut: at blanks, `'` or final marks. */
export function formatMention(path: string): { text: string; isQuoted: boolean } {
  const whole = path === "" || /^[\p{L}\p{N}._~/-]/u.test(path) ? path : `./${path}`;
  const isQuoted = /[\s']|[.,;:!?)\]}>]$/u.test(whole);
  return { text: isQuoted ? `@"${whole}"` : `@${whole}`, isQuoted };
}
