/** Where a row of a script without blanks may end: anywhere but before some characters, and behind some. */

const closing = "、。，．：；！？）」』】〕》〉…ー々";
const opening = "（「『【〔《〈";

export const noBeginning = new RegExp(`^[${closing}]`, "u");
export const noEnd = new RegExp(`^[${opening}]`, "u");

const wide = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]`;
const unparted = new RegExp(
  String.raw`[${opening}]*(?:${wide}|(?:(?!${wide}).)+)(?:[${closing}]|\p{M})*|[${opening}]+`,
  "gsu",
);

/** A word in the pieces that a row's end may part it into. */
export function piecesOf(word: string): string[] {
  return word.match(unparted) ?? [word];
}
