/** A command as a program gets it: a text that a shell splits into words, or the words. */
import { matchesOptionName } from "../options/running-options.ts";
import { wordFrom, textsOf, type Word } from "./text.ts";

export type GivenCommand = string | readonly Word[];

/** The values of options: each name takes one in its word or the next. Letters may follow flags; long names may be shortened. */
export function optionWords(rest: readonly Word[], ...names: readonly string[]): Word[] {
  const letters = names.flatMap((name) => /^-([A-Za-z])$/u.exec(name)?.[1] ?? []).join("");
  const long = names.filter((name) => name.length > 2);
  const apart = letters === "" ? undefined : new RegExp(`^-[A-Za-z\\d]*[${letters}]$`, "u");
  const glued = letters === "" ? undefined : new RegExp(`^-[A-Za-z\\d]*?[${letters}](?=[^])`, "u");
  return rest.flatMap((word, index) => {
    const { text } = word;
    const equals = text.indexOf("=");
    if (equals > 0 && matchesOptionName(text.slice(0, equals), long)) return wordFrom(word, equals + 1);
    if (matchesOptionName(text, long) || apart?.test(text) === true) return rest[index + 1] ?? [];
    const start = glued?.exec(text)?.[0].length;
    return start === undefined ? [] : wordFrom(word, start);
  });
}

export function optionValues(...args: Parameters<typeof optionWords>): string[] {
  return textsOf(optionWords(...args));
}

/** The words after the options and `count` operands. `valued`: options that take the next word. */
export function wordsAfterOperands(rest: readonly Word[], count: number, valued: RegExp): (readonly Word[])[] {
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

/** The words after the first of `marks`. */
export function wordsAfterMark(rest: readonly Word[], ...marks: readonly string[]): GivenCommand[] {
  const at = rest.findIndex(({ text }) => marks.includes(text));
  return at < 0 ? [] : [rest.slice(at + 1)];
}
