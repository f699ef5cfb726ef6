/** Ways to find commands among the words of a program, from which the tables of programs are made. */
import { wordsAfterMark, wordsAfterOperands, optionValues, type GivenCommand } from "../shell/given-words.ts";
import type { Word } from "../shell/text.ts";

export type Words = readonly Word[];
export type GivenReader = (rest: Words) => GivenCommand[];

/** Reads options whose values are commands, where the table of programs does not say so for everything the program does. */
export const optionReader =
  (...names: string[]): GivenReader =>
  (rest) =>
    optionValues(rest, ...names);
export const afterMarksReader =
  (...marks: string[]): GivenReader =>
  (rest) =>
    wordsAfterMark(rest, ...marks);
export const combineReaders =
  (...readers: GivenReader[]): GivenReader =>
  (rest) =>
    readers.flatMap((read) => read(rest));
/** Reads only what follows one of these words. */
export const afterWordReader =
  (words: RegExp, read: GivenReader): GivenReader =>
  (rest) => {
    const at = rest.findIndex(({ text }) => words.test(text));
    return at < 0 ? [] : read(rest.slice(at + 1));
  };
/** The words after the options and `count` operands. `valued`: options that take the next word. */
export const operandReader =
  (count: number, valued: RegExp = /^$/u): GivenReader =>
  (rest) =>
    wordsAfterOperands(rest, count, valued);
