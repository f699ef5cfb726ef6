/** Where a row of a script without blanks may end: anywhere but before some characters, and behind some. */

const closing = "、。，．：；！？）」』】〕》〉…ー々";
const opening = "（「『【〔《〈";

export const noBeginning = new RegExp(`^[${closing}]`, "u");
export const noEnd = new RegExp(`^[${opening}]`, "u");

/** Made where a row is broken: classes of all of Unicode take a start more than a millisecond. */
let parts: RegExp | undefined;

function partsForm(): RegExp {
  const wide = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]`;
  return new RegExp(String.raw`[${opening}]*(?:${wide}|(?:(?!${wide}).)+)(?:[${closing}]|\p{M})*|[${opening}]+`, "gsu");
}

/** A word in the pieces that a row's end may part it into. */
export function piecesOf(word: string): string[] {
  if (/^[!-~]*$/u.test(word)) return [word];
  return word.match((parts ??= partsForm())) ?? [word];
}
