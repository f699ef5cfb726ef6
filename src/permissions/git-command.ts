/** Git's own options stand before its command. */

/** Of them, those that take the next word. */
const takesNext = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|config-env|super-prefix|attr-source|shallow-file))$/u;

/** Where the command stands among the words behind git's name; their number where there is none. */
export function gitCommandAt(rest: readonly { text: string }[]): number {
  let at = 0;
  for (let word = rest[0]; word?.text.startsWith("-") === true; word = rest[at])
    at += takesNext.test(word.text) ? 2 : 1;
  return Math.min(at, rest.length);
}
