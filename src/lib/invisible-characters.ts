/** Characters that models read but people do not see: instructions could be hidden in them, in a text by others that a person reviewed. */

/**
 * Tag characters, bidirectional controls, zero-width characters and fillers, format characters of shorthand, hieroglyphs and music, and
 * code points that are ignored when unknown. For use inside a character class.
 */
export const invisibleCharacters = String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}`;

/**
 * Letters of scripts that use joiners and non-joiners within words: Arabic and Persian, the scripts of India, Burmese, Khmer, Mongolian.
 * None of them is in `invisibleCharacters`.
 */
export const joiningLetters = String.raw`\u0600-\u061b\u061d-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u180a\u1810-\u18af\ufb50-\ufdff\ufe70-\ufefc`;

/** \p{Surrogate}, written out: a first lookup of a Unicode property takes longer than 100 other patterns, and a start needs none. */
export const halfSurrogate = String.raw`[\ud800-\udfff]`;

/** `invisibleCharacters` plus variation selectors, half surrogates, and controls other than line feed and tab. */
const removedPattern = new RegExp(
  String.raw`[${invisibleCharacters}\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|${halfSurrogate}|(?![\n\t])[\x00-\x1f\x7f-\x9f]`,
  "gu",
);

/** Removes these characters, or replaces them by what `instead` returns. Characters that change how a neighbour is displayed stay. */
export function withoutInvisible(
  text: string,
  instead: (character: string, offset: number) => string = () => "",
): string {
  return text.replace(removedPattern, (character, offset: number) =>
    modifiesNeighbour(character, text, offset) ? character : instead(character, offset),
  );
}

/** A joiner between two emoji, a joiner or non-joiner between letters of a script that uses them, or the presentation of an emoji. */
function modifiesNeighbour(character: string, text: string, offset: number): boolean {
  const isPicture = character === "\ufe0e" || character === "\ufe0f";
  if (!isPicture && character !== "\u200d" && character !== "\u200c") return false;
  const before = Array.from(text.slice(Math.max(0, offset - 4), offset));
  const last = before.at(-1) ?? "";
  if (isPicture) return /^\p{Emoji}$/u.test(last);
  const after = String.fromCodePoint(text.codePointAt(offset + 1) ?? 0);
  const letter = /\p{L}|\p{M}/u;
  const isJoined = last > "\u0590" && after > "\u0590" && letter.test(last) && letter.test(after);
  if (isJoined || character === "\u200c") return isJoined;
  return (
    /\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?$/u.test(before.join("")) &&
    /^\p{Extended_Pictographic}/u.test(after)
  );
}

/** `U+E0041`. */
export function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
