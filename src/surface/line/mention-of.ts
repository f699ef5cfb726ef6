/** How a path is written into a prompt so that its file comes along. */

/** No mention can say these: a quote ends it, between backticks is code, and what looks like lines of a file is that. */
const unnamed = /["`\n]|[#:]L?\d{1,7}(?:-L?\d{1,7})?$/u;

export function canBeMentioned(path: string): boolean {
  return !unnamed.test(path);
}

/** As prompts are read: what begins otherwise is written from the folder, what a bare one would lose is quoted. */
export function mentionOf(path: string): { text: string; isQuoted: boolean } {
  const whole = path === "" || /^[\p{L}\p{N}._~/-]/u.test(path) ? path : `./${path}`;
  const isQuoted = /[\s']|[.,;:!?)\]}>]$/u.test(whole);
  return { text: isQuoted ? `@"${whole}"` : `@${whole}`, isQuoted };
}
