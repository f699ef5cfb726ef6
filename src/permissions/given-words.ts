/** How a program is given a command: a text of which a shell makes words, or the words. */
import type { Word } from "./shell-text.ts";

export type GivenCommand = string | readonly Word[];

/** `letters`: each takes a value, in its own word, or in the next one behind letters that take none. Long ones may be shortened. */
export function optionValues(rest: readonly Word[], letters: string, ...names: readonly string[]): string[] {
  const apart = letters === "" ? undefined : new RegExp(`^-[A-Za-z]*[${letters}]$`, "u");
  const glued = letters === "" ? undefined : new RegExp(`^-[A-Za-z]*?[${letters}]([^]+)$`, "u");
  const isNamed = (text: string): boolean =>
    names.includes(text) || (/^--\w[\w-]/u.test(text) && names.some((name) => name.startsWith(text)));
  return rest.flatMap(({ text }, index) => {
    const equals = text.indexOf("=");
    if (equals > 0 && isNamed(text.slice(0, equals))) return text.slice(equals + 1);
    if (isNamed(text) || apart?.test(text) === true) return rest[index + 1]?.text ?? [];
    return glued?.exec(text)?.[1] ?? [];
  });
}

/** What stands behind options and `count` more words. `valued`: options that take the next word. */
export function behindOperands(rest: readonly Word[], count: number, valued: RegExp): (readonly Word[])[] {
  let left = count;
  let at = 0;
  for (; at < rest.length; at += 1) {
    const text = rest[at]?.text ?? "";
    if (text.startsWith("-")) at += valued.test(text) ? 1 : 0;
    else if (left > 0) left -= 1;
    else break;
  }
  return at < rest.length ? [rest.slice(at)] : [];
}

/** What stands behind the first of `marks`. */
export function behind(rest: readonly Word[], ...marks: readonly string[]): GivenCommand[] {
  const at = rest.findIndex(({ text }) => marks.includes(text));
  return at < 0 ? [] : [rest.slice(at + 1)];
}
