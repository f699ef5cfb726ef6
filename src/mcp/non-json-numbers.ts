/** JSON as Python and other languages write it by default, with words for numbers that JSON cannot express. */

const nonJsonNumbers = ["NaN", "Infinity", "-Infinity"];
const [quote, backslash, capitalN, capitalI, minus] = [0x22, 0x5c, 0x4e, 0x49, 0x2d];

/** The text with `null` for each such word, as JavaScript does; undefined if there is none. One pass, for texts of any length. */
export function replaceNonJsonNumbers(text: string): string | undefined {
  let made = "";
  let taken = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) isString = !isString;
    else if (isString && code === backslash) at++;
    if (isString || (code !== capitalN && code !== capitalI && code !== minus)) continue;
    const word = nonJsonNumbers.find((each) => text.startsWith(each, at));
    if (word === undefined) continue;
    made += `${text.slice(taken, at)}null`;
    taken = at + word.length;
    at = taken - 1;
  }
  return taken === 0 ? undefined : made + text.slice(taken);
}
