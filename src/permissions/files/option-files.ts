/** Files that options tell a program to write. */
import { sinks } from "./written-paths.ts";

/** Returns the files a program's words say it writes. Gets the words that are not options, those before `--`, and all words. */
export type WrittenFilesReader = (
  operands: readonly string[],
  options: readonly string[],
  texts: readonly string[],
) => string[];

export function isOption(text: string): boolean {
  return text.startsWith("-") && text !== "-";
}

/** The values of an option, in its own word or else in the next. */
export function valuesAfterOption(words: readonly string[], option: RegExp): string[] {
  return words.flatMap((word, index) => {
    const found = option.exec(word);
    if (found === null) return [];
    const value = found[1] === "" ? words[index + 1] : found[1];
    return value === undefined || sinks.has(value) ? [] : [value];
  });
}

/** `-o`, and `--output` with its abbreviations, as curl and sort take them. */
export const outputOption = /^(?:-[A-Za-z]*?o|--o[a-z]*=?)(.*)$/su;

export const writtenByOption =
  (option: RegExp): WrittenFilesReader =>
  (_operands, options) =>
    valuesAfterOption(options, option);

/** For `script`: a command may follow the log file. If an option takes a value, that may precede the file. */
export const writtenByScript: WrittenFilesReader = (operands, options) => {
  const first = options.findIndex((text) => !isOption(text));
  const own = first < 0 ? options : options.slice(0, first);
  const takesWord = own.some((text) => /^(?:-[A-Za-z]*[BEIOTcmot]|--[a-z-]+)$/u.test(text));
  const logs = valuesAfterOption(options, /^(?:-[a-z]*?[BIOT]|--log-[a-z]+=?)(.*)$/su);
  return [...operands.slice(0, takesWord ? undefined : 1), ...logs];
};
