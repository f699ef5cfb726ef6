/** Characters next to a word in languages written without spaces, or typed with an input method: parts of a character class. */

/** Letters of Thai, Lao, Burmese, Khmer, Chinese, Japanese and Korean, by block: Unicode property classes are slow to create. */
export const unspacedLetters = String.raw`\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fff\u3005-\u3007\u3031-\u31ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{3fffd}`;
/** Full-width punctuation and curly quotes. */
export const widePunctuation = String.raw`\u2018-\u201d\u2026\u3001-\u3003\u3008-\u3011\u3014-\u301f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff3d\uff5b-\uff65`;
/** Characters that end a sentence or a bracket in these languages. */
export const wideEndMarks = "。，、；：！？）］｝】」』》〉”’…";
/**
 * Where a text without spaces goes on from a name to the next name after an at sign: from the last such place on, including punctuation
 * before it. It is tested at each character and looks no further than the next such place.
 */
export const beforeNextMention = String.raw`(?:[${widePunctuation}]{1,4}|(?<=\.\w{1,8})[${unspacedLetters}])[^\s@.${widePunctuation}]{0,200}[@\uff20]`;
