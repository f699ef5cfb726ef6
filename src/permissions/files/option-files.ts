/** Files that a program is told by its options to write. */
import { sinks } from "./written-paths.ts";

/** What the words of a program name of what it writes: what could be no option, all in front of `--`, and all of them. */
export type Reader = (operands: readonly string[], options: readonly string[], texts: readonly string[]) => string[];

export function isOption(text: string): boolean {
  return text.startsWith("-") && text !== "-";
}

/** What stands in the option itself, or else in the word behind it. */
export function valuesBehind(words: readonly string[], option: RegExp): string[] {
  return words.flatMap((word, index) => {
    const found = option.exec(word);
    if (found === null) return [];
    const value = found[1] === "" ? words[index + 1] : found[1];
    return value === undefined || sinks.has(value) ? [] : [value];
  });
}

export const named =
  (option: RegExp): Reader =>
  (_operands, options) =>
    valuesBehind(options, option);

/** Of `script`: behind the file that it writes may stand what it runs; where an option takes a word, that may stand in front. */
export const recorded: Reader = (operands, options) => {
  const first = options.findIndex((text) => !isOption(text));
  const own = first < 0 ? options : options.slice(0, first);
  const takesWord = own.some((text) => /^(?:-[A-Za-z]*[BEIOTcmot]|--[a-z-]+)$/u.test(text));
  const logs = valuesBehind(options, /^(?:-[a-z]*?[BIOT]|--log-[a-z]+=?)(.*)$/su);
  return [...operands.slice(0, takesWord ? undefined : 1), ...logs];
};
