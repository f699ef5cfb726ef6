/** JSON as Python and other languages write it by default, with words for numbers that JSON cannot express. */

const nonJsonNumbers = ["NaN", "Infinity", "-Infinity"];
const [quote, backslash, capitalN, capitalI, minus] = [0x22, 0x5c, 0x4e, 0x49, 0x2d];

/** The text with `null` for each such word, as JavaScript does; undefined if there is none. One pass, for texts of any length. */
export function replaceNonJsonNumbers(text: string): string | undefined {
  let result = "";
  let copiedTo = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) isString = !isString;
    else if (isString && code === backslash) at++;
    if (isString || (code !== capitalN && code !== capitalI && code !== minus)) continue;
    const word = nonJsonNumbers.find((each) => text.startsWith(each, at));
    if (word === undefined) continue;
    result += `${text.slice(copiedTo, at)}null`;
    copiedTo = at + word.length;
    at = copiedTo - 1;
  }
  return copiedTo === 0 ? undefined : result + text.slice(copiedTo);
}
