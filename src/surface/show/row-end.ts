/** Where a row may end in scripts without blanks: anywhere except before or after certain characters. */

const closing = "、。，．：；！？）」』】〕》〉…ー々";
const opening = "（「『【〔《〈";

export const cannotStartRow = new RegExp(`^[${closing}]`, "u");
export const cannotEndRow = new RegExp(`^[${opening}]`, "u");

/** Created at first use, because its Unicode classes would add more than a millisecond to the start. */
let partsPattern: RegExp | undefined;

function createPartsPattern(): RegExp {
  const wide = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]`;
  return new RegExp(String.raw`[${opening}]*(?:${wide}|(?:(?!${wide}).)+)(?:[${closing}]|\p{M})*|[${opening}]+`, "gsu");
}

/** Splits a word where a row may end. */
export function splitAtBreakPoints(word: string): string[] {
  if (/^[!-~]*$/u.test(word)) return [word];
  return word.match((partsPattern ??= createPartsPattern())) ?? [word];
}
